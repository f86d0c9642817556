/* USART2 of the STM32F407 at 115200 baud on PA2 and PA3, with a clock of 16 MHz, and one character through it. */

#include <stdint.h>

/* The registers as CMSIS headers have them: a structure of volatile members at the address of each peripheral. */
typedef struct {
    volatile uint32_t CR, PLLCFGR, CFGR, CIR, AHB1RSTR, AHB2RSTR, AHB3RSTR, RESERVED0, APB1RSTR, APB2RSTR, RESERVED1[2];
    volatile uint32_t AHB1ENR, AHB2ENR, AHB3ENR, RESERVED2, APB1ENR, APB2ENR;
} RCC_TypeDef;

typedef struct {
    volatile uint32_t MODER, OTYPER, OSPEEDR, PUPDR, IDR, ODR, BSRR, LCKR, AFR[2];
} GPIO_TypeDef;

typedef struct {
    volatile uint32_t SR, DR, BRR, CR1, CR2, CR3, GTPR;
} USART_TypeDef;

#define GPIOA ((GPIO_TypeDef *)0x40020000)
#define RCC ((RCC_TypeDef *)0x40023800)
#define USART2 ((USART_TypeDef *)0x40004400)

#define AHB1ENR_GPIOAEN (1u << 0)
#define APB1ENR_USART2EN (1u << 17)
#define CR1_UE (1u << 13)
#define CR1_TE (1u << 3)
#define CR1_RE (1u << 2)
#define SR_TXE (1u << 7)

void registers(void) {
    RCC->AHB1ENR |= AHB1ENR_GPIOAEN;
    RCC->APB1ENR |= APB1ENR_USART2EN;
    GPIOA->AFR[0] = (GPIOA->AFR[0] & ~(0xFu << 8 | 0xFu << 12)) | 7u << 8 | 7u << 12;
    GPIOA->MODER = (GPIOA->MODER & ~(3u << 4 | 3u << 6)) | 2u << 4 | 2u << 6;
    USART2->BRR = 8u << 4 | 11u;
    USART2->CR1 = CR1_UE | CR1_TE | CR1_RE;
    while (!(USART2->SR & SR_TXE)) {
    }
    USART2->DR = 'A';
}
