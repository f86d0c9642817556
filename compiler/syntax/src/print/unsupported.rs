//! Unsupported constructs, as the shortest source text of their kind.

use super::Printer;
use crate::ast::Refused;

impl Printer<'_> {
    pub(super) fn unsupported_expr(&mut self, what: Refused) {
        self.write(match what {
            Refused::ExceptionDeclaration => "(exception Rejected)",
            Refused::Class => "{ inherit Rejected }",
            Refused::Interface => "(interface Rejected)",
            Refused::Members | Refused::Extension | Refused::MemberConstraint => "(member this.Rejected = ())",
            Refused::Delegate => "(delegate of unit -> unit)",
            Refused::Try => "(try () with _ -> ())",
            Refused::ObjectConstruction => "{ new Rejected with member this.Rejected = () }",
            Refused::ComputationExpression => "(rejected { return () })",
            Refused::AnonymousRecord => "{| rejected = () |}",
            Refused::Quotation => "<@ () @>",
            Refused::ActivePattern => "(|Refused|)",
            Refused::TypeTest => "(() :> unit)",
            Refused::Null => "null",
            Refused::Directive => "(\n#refused\n)",
            Refused::Bang => "(return ())",
            Refused::AddressOf => "(&refused)",
            Refused::ReservedWord => "base",
        });
    }

    pub(super) fn unsupported_pattern(&mut self, what: Refused) {
        self.write(match what {
            Refused::Null => "null",
            Refused::TypeTest => ":? unit",
            Refused::AnonymousRecord => "{| rejected = _ |}",
            Refused::ActivePattern
            | Refused::ExceptionDeclaration
            | Refused::Class
            | Refused::Interface
            | Refused::Members
            | Refused::Delegate
            | Refused::Extension
            | Refused::Try
            | Refused::ObjectConstruction
            | Refused::ComputationExpression
            | Refused::Quotation
            | Refused::Directive
            | Refused::Bang
            | Refused::AddressOf
            | Refused::MemberConstraint
            | Refused::ReservedWord => "Refused _ _",
        });
    }

    pub(super) fn unsupported_type(&mut self, what: Refused) {
        self.write(match what {
            Refused::MemberConstraint => "(member Rejected: unit)",
            Refused::Delegate => "(delegate of unit -> unit)",
            Refused::AnonymousRecord
            | Refused::ActivePattern
            | Refused::ExceptionDeclaration
            | Refused::Class
            | Refused::Interface
            | Refused::Members
            | Refused::Extension
            | Refused::Try
            | Refused::ObjectConstruction
            | Refused::ComputationExpression
            | Refused::Quotation
            | Refused::TypeTest
            | Refused::Null
            | Refused::Directive
            | Refused::Bang
            | Refused::AddressOf => "{| rejected: unit |}",
            Refused::ReservedWord => "(const 1)",
        });
    }

    pub(super) fn unsupported_declaration(&mut self, what: Refused) {
        match what {
            Refused::ExceptionDeclaration => self.write("exception Rejected"),
            Refused::ReservedWord => self.write("extern rejected"),
            Refused::Directive => self.write("#refused"),
            Refused::Class
            | Refused::Interface
            | Refused::Members
            | Refused::Delegate
            | Refused::Extension
            | Refused::Try
            | Refused::ObjectConstruction
            | Refused::ComputationExpression
            | Refused::AnonymousRecord
            | Refused::Quotation
            | Refused::ActivePattern
            | Refused::TypeTest
            | Refused::Null
            | Refused::Bang
            | Refused::AddressOf
            | Refused::MemberConstraint => self.unsupported_expr(what),
        }
    }

    /// The right side of an unsupported type.
    pub(super) fn unsupported_type_declaration(&mut self, what: Refused) {
        self.write(match what {
            Refused::Interface => " = interface end",
            Refused::Members => " = unit with member this.Rejected = ()",
            Refused::Delegate => " = delegate of unit -> unit",
            Refused::Extension => " with member this.Rejected = ()",
            Refused::Class
            | Refused::ExceptionDeclaration
            | Refused::Try
            | Refused::ObjectConstruction
            | Refused::ComputationExpression
            | Refused::AnonymousRecord
            | Refused::Quotation
            | Refused::ActivePattern
            | Refused::TypeTest
            | Refused::Null
            | Refused::Directive
            | Refused::Bang
            | Refused::AddressOf
            | Refused::MemberConstraint
            | Refused::ReservedWord => "() = class end",
        });
    }
}
