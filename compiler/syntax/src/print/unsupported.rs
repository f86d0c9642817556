//! Unsupported constructs, as the shortest source text of their kind.

use super::Printer;
use crate::ast::Unsupported;

impl Printer<'_> {
    pub(super) fn unsupported_expr(&mut self, what: Unsupported) {
        self.write(match what {
            Unsupported::ExceptionDeclaration => "(exception Rejected)",
            Unsupported::Class => "{ inherit Rejected }",
            Unsupported::Interface => "(interface Rejected)",
            Unsupported::Members
            | Unsupported::StaticMembers
            | Unsupported::Extension
            | Unsupported::MemberConstraint => "(member this.Rejected = ())",
            Unsupported::Delegate => "(delegate of unit -> unit)",
            Unsupported::Try => "(try () with _ -> ())",
            Unsupported::ObjectConstruction => "{ new Rejected with member this.Rejected = () }",
            Unsupported::ComputationExpression => "(rejected { return () })",
            Unsupported::AnonymousRecord => "{| rejected = () |}",
            Unsupported::Quotation => "<@ () @>",
            Unsupported::ActivePattern => "(|Unsupported|)",
            Unsupported::TypeTest => "(() :> unit)",
            Unsupported::Null => "null",
            Unsupported::Directive => "(\n#refused\n)",
            Unsupported::Bang => "(return ())",
            Unsupported::AddressOf => "(&refused)",
            Unsupported::Fixed => "(fixed refused)",
            Unsupported::ReservedWord => "base",
        });
    }

    pub(super) fn unsupported_pattern(&mut self, what: Unsupported) {
        self.write(match what {
            Unsupported::Null => "null",
            Unsupported::TypeTest => ":? unit",
            Unsupported::AnonymousRecord => "{| rejected = _ |}",
            Unsupported::ActivePattern
            | Unsupported::ExceptionDeclaration
            | Unsupported::Class
            | Unsupported::Interface
            | Unsupported::Members
            | Unsupported::StaticMembers
            | Unsupported::Delegate
            | Unsupported::Extension
            | Unsupported::Try
            | Unsupported::ObjectConstruction
            | Unsupported::ComputationExpression
            | Unsupported::Quotation
            | Unsupported::Directive
            | Unsupported::Bang
            | Unsupported::AddressOf
            | Unsupported::MemberConstraint
            | Unsupported::Fixed
            | Unsupported::ReservedWord => "Unsupported _ _",
        });
    }

    pub(super) fn unsupported_type(&mut self, what: Unsupported) {
        self.write(match what {
            Unsupported::MemberConstraint => "(member Rejected: unit)",
            Unsupported::Delegate => "(delegate of unit -> unit)",
            Unsupported::AnonymousRecord
            | Unsupported::ActivePattern
            | Unsupported::ExceptionDeclaration
            | Unsupported::Class
            | Unsupported::Interface
            | Unsupported::Members
            | Unsupported::StaticMembers
            | Unsupported::Extension
            | Unsupported::Try
            | Unsupported::ObjectConstruction
            | Unsupported::ComputationExpression
            | Unsupported::Quotation
            | Unsupported::TypeTest
            | Unsupported::Null
            | Unsupported::Directive
            | Unsupported::Bang
            | Unsupported::AddressOf
            | Unsupported::Fixed => "{| rejected: unit |}",
            Unsupported::ReservedWord => "(const 1)",
        });
    }

    pub(super) fn unsupported_declaration(&mut self, what: Unsupported) {
        match what {
            Unsupported::ExceptionDeclaration => self.write("exception Rejected"),
            Unsupported::ReservedWord => self.write("extern rejected"),
            Unsupported::Directive => self.write("#refused"),
            Unsupported::Class
            | Unsupported::Interface
            | Unsupported::Members
            | Unsupported::StaticMembers
            | Unsupported::Delegate
            | Unsupported::Extension
            | Unsupported::Try
            | Unsupported::ObjectConstruction
            | Unsupported::ComputationExpression
            | Unsupported::AnonymousRecord
            | Unsupported::Quotation
            | Unsupported::ActivePattern
            | Unsupported::TypeTest
            | Unsupported::Null
            | Unsupported::Bang
            | Unsupported::AddressOf
            | Unsupported::Fixed
            | Unsupported::MemberConstraint => self.unsupported_expr(what),
        }
    }

    /// The right side of an unsupported type.
    pub(super) fn unsupported_type_declaration(&mut self, what: Unsupported) {
        self.write(match what {
            Unsupported::Interface => " = interface end",
            Unsupported::StaticMembers => " = static member Rejected = ()",
            Unsupported::Members => " = unit with member this.Rejected = ()",
            Unsupported::Delegate => " = delegate of unit -> unit",
            Unsupported::Extension => " with member this.Rejected = ()",
            Unsupported::Class
            | Unsupported::ExceptionDeclaration
            | Unsupported::Try
            | Unsupported::ObjectConstruction
            | Unsupported::ComputationExpression
            | Unsupported::AnonymousRecord
            | Unsupported::Quotation
            | Unsupported::ActivePattern
            | Unsupported::TypeTest
            | Unsupported::Null
            | Unsupported::Directive
            | Unsupported::Bang
            | Unsupported::AddressOf
            | Unsupported::MemberConstraint
            | Unsupported::Fixed
            | Unsupported::ReservedWord => "() = class end",
        });
    }
}
