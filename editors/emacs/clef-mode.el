;;; clef-mode.el --- Major mode for Clef -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Highlighting, comments, indentation by the line before, compilation with clefc, and its language server for Eglot
;; and lsp-mode.

;;; Code:

(require 'clef-words)
(require 'compile)

(defgroup clef nil
  "The language Clef."
  :group 'languages)

(defcustom clef-compiler "clefc"
  "The compiler: a name in the search path, or a path."
  :type 'string)

(defcustom clef-board nil
  "The board of the commands; nil is that of the project."
  :type '(choice (const :tag "That of the project" nil) string)
  :safe #'stringp)

(defcustom clef-indent-offset 4
  "The indentation of a block."
  :type 'integer
  :safe #'integerp)

;; Syntax

(defvar clef-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?' "_" table)
    (modify-syntax-entry ?` "." table)
    (dolist (sign '(?* ?! ?% ?& ?+ ?- ?/ ?< ?= ?> ?? ?@ ?^ ?| ?~ ?: ?. ?, ?\; ?$ ?#))
      (modify-syntax-entry sign "." table))
    table)
  "The syntax table of `clef-mode'.")

(defun clef--is-code (position)
  "Whether POSITION is neither in a string nor in a comment."
  (not (nth 8 (save-excursion (syntax-ppss position)))))

(defun clef--put (position syntax)
  "Gives the character at POSITION a SYNTAX."
  (put-text-property position (1+ position) 'syntax-table (string-to-syntax syntax)))

(defun clef--raw-string (start quote closer)
  "Marks a string from START without escapes.
Its first quote is at QUOTE, and it ends with the expression CLOSER."
  (when (clef--is-code start)
    (save-match-data
      (save-excursion
        (clef--put quote "|")
        (when (re-search-forward closer nil t)
          (clef--put (1- (match-end 0)) "|")))))
  nil)

(defun clef--comment (start)
  "Marks a comment from START.
Comments nest, and strings in them hide what ends a comment."
  (when (clef--is-code start)
    (save-match-data
      (save-excursion
        (goto-char (+ start 2))
        (clef--put start "!")
        (let ((depth 1))
          (while (and (> depth 0)
                      (re-search-forward "(\\*\\|\\*)\\|'\"'\\|\"\\(?:[^\"\\\n]\\|\\\\.\\)*\"" nil t))
            (pcase (match-string 0)
              ("(*" (unless (eq (char-after) ?\)) (setq depth (1+ depth))))
              ("*)" (setq depth (1- depth)))))
          (when (zerop depth)
            (clef--put (1- (point)) "!"))))))
  nil)

(defun clef--slashes ()
  "The syntax of the slash that starts a comment."
  (when (clef--is-code (match-beginning 0))
    (string-to-syntax "<")))

(defconst clef--syntax-propertize
  (syntax-propertize-rules
   ("(\\(\\*\\))" (1 "."))
   ("\\((\\)\\*" (1 (clef--comment (match-beginning 0))))
   ("\\(/\\)/" (1 (clef--slashes)))
   ("\\$?\\(\"\\)\"\"" (1 (clef--raw-string (match-beginning 0) (match-beginning 1) "\"\"\"")))
   ("\\$?@\\$?\\(\"\\)" (1 (clef--raw-string (match-beginning 0) (match-beginning 1) "\\(?:[^\"]\\|\"\"\\)*\"")))
   ("\\(?:[^[:alnum:]_']\\|^\\)\\('\\)\\(?:\\\\\\(?:[0-9]\\{3\\}\\|[xuU][0-9a-fA-F]+\\|.\\)\\|[^\\\n]\\)\\('\\)"
    (1 "\"") (2 "\"")))
  "What the syntax table cannot say.")

;; Highlighting

(defconst clef--name "[[:alpha:]_][[:alnum:]_']*")

(defconst clef-font-lock-keywords
  (let ((words (lambda (list) (concat "\\_<" (regexp-opt list t) "\\_>")))
        (modifiers "\\_<\\(?:\\(?:rec\\|inline\\|mutable\\|private\\|internal\\|public\\)\\s-+\\)*"))
    `(("^\\s-*#.*$" . font-lock-preprocessor-face)
      ("\\[<\\([^]>]*\\)>\\]" (1 font-lock-preprocessor-face keep))
      (,(concat "\\_<\\(?:let\\|and\\)\\s-+" modifiers "\\([[:lower:]_][[:alnum:]_']*\\)\\s-+[^=:,|&) \n]")
       (1 font-lock-function-name-face))
      (,(concat "\\_<type\\s-+" modifiers "\\(" clef--name "\\)") (1 font-lock-type-face))
      (,(concat "\\_<\\(?:module\\|namespace\\|open\\)\\s-+" modifiers "\\(" clef--name "\\(?:\\." clef--name "\\)*\\)")
       (1 font-lock-constant-face))
      (,(funcall words clef-words-keywords) . font-lock-keyword-face)
      (,(funcall words clef-words-reserved) . font-lock-warning-face)
      (,(funcall words clef-words-constants) . font-lock-constant-face)
      (,(funcall words clef-words-types) . font-lock-type-face)
      (,(funcall words clef-words-functions) . font-lock-builtin-face)
      (,(concat "\\_<'" clef--name "\\_>") . font-lock-type-face)))
  "The rules of `clef-mode' for highlighting.")

;; Indentation

(defconst clef--opens-block
  (concat "\\(?:\\(?:^\\|[^<>]\\)=\\|->\\|<-\\|[[({]\\|\\_<"
          (regexp-opt '("then" "else" "do" "with" "of" "begin" "lazy" "yield")) "\\_>\\)\\s-*\\(?://.*\\)?$"))

(defconst clef--closes-block
  (concat "[])}]\\||[]}]\\|\\_<" (regexp-opt '("else" "elif" "done" "end")) "\\_>"))

(defun clef--indentation ()
  "The indentation of the current line, by the line before."
  (save-excursion
    (back-to-indentation)
    (let ((closes (looking-at clef--closes-block)) indentation)
      (if (not (zerop (forward-line -1)))
          0
        (while (and (not (bobp)) (looking-at "\\s-*$"))
          (forward-line -1))
        (setq indentation (current-indentation))
        (when (re-search-forward clef--opens-block (line-end-position) t)
          (setq indentation (+ indentation clef-indent-offset)))
        (max 0 (if closes (- indentation clef-indent-offset) indentation))))))

(defun clef-indent-line ()
  "Indents the current line."
  (interactive)
  (let ((wanted (clef--indentation)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to wanted)
      (save-excursion (indent-line-to wanted)))))

;; Compilation

(defun clef--project ()
  "The folder of the project of the current buffer, or its file."
  (let ((folder (locate-dominating-file default-directory "clef.toml")))
    (expand-file-name (or folder buffer-file-name default-directory))))

(defun clef--command (word path)
  "Compiles: runs clefc with WORD on PATH."
  (let ((parts (append (list clef-compiler) (and word (list word)) (and clef-board (list "--board" clef-board))
                       (list path))))
    (compile (mapconcat #'shell-quote-argument parts " "))))

(defun clef-build ()
  "Builds the project of the current buffer, or its file."
  (interactive)
  (clef--command nil (clef--project)))

(defun clef-run ()
  "Runs the project of the current buffer, or its file."
  (interactive)
  (clef--command "run" (clef--project)))

(defun clef-test ()
  "Tests the project of the current buffer, or its file."
  (interactive)
  (clef--command "test" (clef--project)))

(defun clef-flash ()
  "Writes the project of the current buffer, or its file, to a board."
  (interactive)
  (clef--command "flash" (clef--project)))

(add-to-list 'compilation-error-regexp-alist-alist '(clefc "^ *--> \\(.*\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
(add-to-list 'compilation-error-regexp-alist 'clefc)

;; The mode

(defvar clef-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-b") #'clef-build)
    (define-key map (kbd "C-c C-c") #'clef-run)
    (define-key map (kbd "C-c C-t") #'clef-test)
    (define-key map (kbd "C-c C-f") #'clef-flash)
    map)
  "The keys of `clef-mode'.")

;;;###autoload
(define-derived-mode clef-mode prog-mode "Clef"
  "Major mode for Clef."
  (setq-local font-lock-defaults '(clef-font-lock-keywords))
  (setq-local syntax-propertize-function clef--syntax-propertize)
  (setq-local parse-sexp-lookup-properties t)
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|(\\*+\\)\\s-*")
  (setq-local indent-line-function #'clef-indent-line)
  (setq-local indent-tabs-mode nil))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.clef\\'" . clef-mode))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs `(clef-mode . (,clef-compiler "lsp"))))

(provide 'clef-mode)
;;; clef-mode.el ends here
