//! TypeScript and the JavaScript it becomes. Each was compared with what TypeScript's own `transpileModule` makes of it.

/// Name, TypeScript, JavaScript.
pub(crate) type Case = (&'static str, &'static str, &'static str);

/// Only types: every line and column stays.
pub(crate) const ERASED: &[Case] = &[
    (
        "variable_annotation",
        "let a: number = 1;",
        "let a         = 1;",
    ),
    (
        "several_declarators",
        r#"let a: number = 1, b: string = "x", c: Map<string, number[]> = new Map();"#,
        r#"let a         = 1, b         = "x", c                        = new Map();"#,
    ),
    (
        "annotation_without_initializer",
        "let a: number
let b",
        "let a        
let b",
    ),
    (
        "definite_assignment",
        r#"let a!: string;
a = "x";"#,
        r#"let a         ;
a = "x";"#,
    ),
    (
        "destructuring_annotation",
        r#"const { a, b }: { a: number; b: string } = { a: 1, b: "x" };"#,
        r#"const { a, b }                           = { a: 1, b: "x" };"#,
    ),
    (
        "array_destructuring_annotation",
        "const [x, , y]: [number, string, boolean] = t;",
        "const [x, , y]                            = t;",
    ),
    (
        "parameter_annotations",
        "function f(a: number, b?: string, ...rest: any[]): void {}",
        "function f(a        , b         , ...rest       )       {}",
    ),
    (
        "parameter_default",
        r#"function f(a: number = 1, { b }: { b: string } = { b: "" }) {}"#,
        r#"function f(a         = 1, { b }                = { b: "" }) {}"#,
    ),
    (
        "this_parameter",
        "function f(this: Window, a: number) { return this; }",
        "function f(              a        ) { return this; }",
    ),
    (
        "lone_this_parameter",
        "function f(this: void) {}",
        "function f(          ) {}",
    ),
    (
        "arrow_types",
        "const f = (a: number, b: number): number => a + b;",
        "const f = (a        , b        )         => a + b;",
    ),
    (
        "arrow_optional_parameter",
        "const f = (a?: number) => a ?? 0;",
        "const f = (a         ) => a ?? 0;",
    ),
    (
        "async_generic_arrow",
        "const f = async <T,>(x: T): Promise<T> => x;",
        "const f = async     (x   )             => x;",
    ),
    (
        "generic_function",
        "function id<T extends object = {}>(x: T): T { return x; }",
        "function id                       (x   )    { return x; }",
    ),
    (
        "generic_call",
        r#"const m = new Map<string, number>(); f<string>("x"); a.b<number, string>(1);"#,
        r#"const m = new Map                (); f        ("x"); a.b                (1);"#,
    ),
    (
        "generic_new_without_arguments",
        "const s = new Set<string>;",
        "const s = new Set        ;",
    ),
    (
        "instantiation_expression",
        "const g = f<string>;",
        "const g = f        ;",
    ),
    (
        "as_expression",
        "const x = y as unknown as string;",
        "const x = y                     ;",
    ),
    (
        "as_const",
        r#"const x = ["a", "b"] as const;"#,
        r#"const x = ["a", "b"]         ;"#,
    ),
    (
        "as_in_argument",
        "f(x as any, (y as string).length);",
        "f(x       , (y          ).length);",
    ),
    (
        "as_target",
        "(x as any) = 5; (x as any).y = 6;",
        "(x       ) = 5; (x       ).y = 6;",
    ),
    (
        "satisfies",
        "const c = { a: 1 } satisfies Record<string, number>;",
        "const c = { a: 1 }                                 ;",
    ),
    (
        "non_null",
        "const a = b!.c!.d![0]!;",
        "const a = b .c .d [0] ;",
    ),
    ("non_null_call", "f!(1)!;", "f (1) ;"),
    ("non_null_optional_chain", "a?.b!.c;", "a?.b .c;"),
    ("non_null_number", "1!.toFixed();", "1 .toFixed();"),
    (
        "non_null_assignment",
        "a! = 1; a!++; a![0] = 2;",
        "a  = 1; a ++; a [0] = 2;",
    ),
    (
        "angle_assertion",
        "const a = <string>b; (<any>c).d;",
        "const a =         b; (     c).d;",
    ),
    (
        "angle_assertion_call",
        "f(<any>x, <T[]>[]);",
        "f(     x,      []);",
    ),
    (
        "interface",
        "interface A { a: number; b(): void }
foo();",
        ";                                   
foo();",
    ),
    (
        "interface_between_unterminated_lines",
        "foo
interface A { a: number }
(bar)",
        "foo
;                        
(bar)",
    ),
    (
        "type_alias",
        "type A = { a: number } | string;
foo();",
        ";                               
foo();",
    ),
    (
        "type_alias_before_bracket",
        "const a = b
type A = string
[1, 2].forEach(f)",
        "const a = b
;              
[1, 2].forEach(f)",
    ),
    (
        "type_alias_multiline",
        r#"type A =
  | "x"
  | "y";
foo();"#,
        ";       
       
        
foo();",
    ),
    (
        "declare_everything",
        r#"declare const a: number; declare let b: string; declare var c: any;
declare function f(a: number): string;
declare class C { m(): void }
declare enum E { A }
declare namespace N { const x: number }
declare module "m" { export const y: number }
declare global { interface Window { z: number } }
a;"#,
        ";                        ;                      ;                  
;                                     
;                            
;                   
;                                      
;                                            
;                                                
a;",
    ),
    (
        "import_type",
        r#"import type { A } from "a";
import type B from "b";
import { type C, type D } from "c";
foo();"#,
        ";                          
;                      
;                                  
foo();",
    ),
    (
        "export_type",
        "type A = 1;
export type { A };
export interface B {}
export type C = 2;
foo();",
        ";          
;                 
;                    
;                 
foo();",
    ),
    (
        "overloads",
        "function f(a: string): string;
function f(a: number): number;
function f(a: any): any { return a; }",
        ";                             
;                             
function f(a     )      { return a; }",
    ),
    (
        "class_fields",
        r#"class A { a: number; b?: string; c!: boolean; readonly d: number = 1; static e: string = "x"; #f: number = 2 }"#,
        r#"class A { a        ; b         ; c          ; ;        d         = 1; static e         = "x"; #f         = 2 }"#,
    ),
    (
        "class_modifiers",
        "class A { public a = 1; private b = 2; protected c = 3; public static readonly d = 4; override m() {} private async n() {} public get x() { return 1; } }",
        "class A { ;      a = 1; ;       b = 2; ;         c = 3; ;      static          d = 4; ;        m() {} ;       async n() {} ;      get x() { return 1; } }",
    ),
    (
        "class_declare_and_abstract",
        "abstract class A { declare a: string; abstract b: number; abstract m(): void; n(): void {} }",
        "         class A { ;                  ;                   ;                   n()       {} }",
    ),
    (
        "class_index_signature",
        "class A { [key: string]: any; a = 1 }",
        "class A { ;                   a = 1 }",
    ),
    (
        "class_implements",
        "class A<T> extends B<T> implements C, D<T> { }",
        "class A    extends B                       { }",
    ),
    (
        "class_implements_only",
        "class A implements C { }",
        "class A              { }",
    ),
    (
        "class_expression_implements",
        "const A = class implements C { };",
        "const A = class              { };",
    ),
    (
        "class_constructor_overload",
        "class A { constructor(a: string); constructor(a: number); constructor(a: any) {} }",
        "class A { ;                       ;                       constructor(a     ) {} }",
    ),
    (
        "class_method_types",
        "class A { m<T>(a?: T): T | undefined { return a; } async *g(): AsyncGenerator<number> { yield 1; } set v(x: number) {} get v(): number { return 1; } }",
        "class A { m   (a    )                { return a; } async *g()                         { yield 1; } set v(x        ) {} get v()         { return 1; } }",
    ),
    (
        "class_optional_method",
        "class A { m?(): void; n() {} }",
        "class A { ;           n() {} }",
    ),
    (
        "class_computed_keys",
        r#"class A { [a]: number = 1; private [b]?: string; ["c"]!: boolean }"#,
        r#"class A { [a]         = 1; ;       [b]         ; ["c"]           }"#,
    ),
    (
        "class_field_before_computed",
        "class A {
  a = 1
  public [b] = 2
}",
        "class A {
  a = 1
  ;      [b] = 2
}",
    ),
    (
        "class_field_before_generator",
        "class A {
  a: number
  *b() {}
}",
        "class A {
  a       ;
  *b() {}
}",
    ),
    (
        "class_field_named_get",
        "class A {
  get: number
  x() {}
  static: string
  y() {}
}",
        "class A {
  get       ;
  x() {}
  static       ;
  y() {}
}",
    ),
    (
        "class_as_before_computed",
        "class A {
  a = b as any
  [c] = 1
}",
        "class A {
  a = b      ;
  [c] = 1
}",
    ),
    (
        "class_modifier_names",
        "class A { readonly = 1; public = 2; abstract() {} declare: number = 3 }",
        "class A { readonly = 1; public = 2; abstract() {} declare         = 3 }",
    ),
    (
        "class_extends_call",
        "class A extends mixin<B>(C) { }",
        "class A extends mixin   (C) { }",
    ),
    (
        "catch_annotation",
        "try { f(); } catch (e: unknown) { g(e); }",
        "try { f(); } catch (e         ) { g(e); }",
    ),
    (
        "type_predicate",
        r#"function isA(x: unknown): x is string { return typeof x === "string"; }
function assertA(x: unknown): asserts x is string {}"#,
        r#"function isA(x         )              { return typeof x === "string"; }
function assertA(x         )                      {}"#,
    ),
    (
        "for_of_as",
        "for (const x of y as string[]) { f(x); }",
        "for (const x of y            ) { f(x); }",
    ),
    (
        "for_typed",
        "for (let i: number = 0; i < n; i++) {}",
        "for (let i         = 0; i < n; i++) {}",
    ),
    (
        "conditional_with_arrow",
        "const f = a ? (b: number): number => b : (c: string) => c;",
        "const f = a ? (b        )         => b : (c        ) => c;",
    ),
    (
        "object_methods",
        "const o = { m<T>(a: T): T { return a; }, get x(): number { return 1; }, f: (a: number): number => a };",
        "const o = { m   (a   )    { return a; }, get x()         { return 1; }, f: (a        )         => a };",
    ),
    (
        "return_type_object",
        "function f(): { a: number; b: () => void } { return { a: 1, b() {} }; }",
        "function f()                               { return { a: 1, b() {} }; }",
    ),
    (
        "return_type_multiline_function",
        "function f(
  a: number,
): Promise<
  number
> {
  return g(a);
}",
        "function f(
  a        ,
)          
        
  {
  return g(a);
}",
    ),
    (
        "arrow_return_type_multiline",
        "const f = (a: number):
  number => a;",
        "const f = (a          
       ) => a;",
    ),
    (
        "arrow_return_type_object_multiline",
        "const f = (a: number): {
  b: number;
} => ({ b: a });",
        "const f = (a            
            
) => ({ b: a });",
    ),
    (
        "arrow_type_parameters_multiline",
        "function g() {
  return <
    T,
  >(x: T) => x;
}",
        "function g() {
  return (
      
    x   ) => x;
}",
    ),
    (
        "as_then_parenthesis",
        "const a = b as any
(c)",
        "const a = b      ;
(c)",
    ),
    (
        "as_then_bracket",
        "const a = b as any
[c].map(d)",
        "const a = b      ;
[c].map(d)",
    ),
    (
        "as_then_template",
        "const a = b as any
`x`",
        "const a = b      ;
`x`",
    ),
    (
        "satisfies_then_parenthesis",
        "const a = b satisfies C
(c)",
        "const a = b           ;
(c)",
    ),
    (
        "as_multiline_type",
        "const a = b as {
  c: number;
};
d();",
        "const a = b     
            
 ;
d();",
    ),
    (
        "as_in_template",
        "const s = `${x as string} ${(y!).z}`;",
        "const s = `${x          } ${(y ).z}`;",
    ),
    (
        "as_in_arrow",
        "const f = (x) => x as number;",
        "const f = (x) => x          ;",
    ),
    (
        "as_in_conditional",
        "const a = (b as any) ? c as D : e as F;",
        "const a = (b       ) ? c      : e     ;",
    ),
    (
        "as_in_equality",
        "const a = b as number === c as number;",
        "const a = b           === c          ;",
    ),
    (
        "as_in_await",
        "const a = await b() as string;",
        "const a = await b()          ;",
    ),
    (
        "as_in_return",
        "function f() { return x as string; }",
        "function f() { return x          ; }",
    ),
    (
        "keyof_typeof",
        r#"const k = "a" as keyof typeof o;"#,
        r#"const k = "a"                  ;"#,
    ),
    (
        "function_type_annotation",
        "let f: (a: number, b?: string) => void = () => {};",
        "let f                                  = () => {};",
    ),
    (
        "constructor_type_annotation",
        "let C: new (...args: any[]) => object = D;",
        "let C                                 = D;",
    ),
    (
        "template_literal_type",
        r#"let s: `a-${string}` = "a-b";"#,
        r#"let s                = "a-b";"#,
    ),
    (
        "mapped_type",
        "type M = { readonly [K in keyof T]?: T[K] };",
        ";                                           ",
    ),
    (
        "conditional_type",
        "type X<T> = T extends (infer U)[] ? U : never;",
        ";                                             ",
    ),
    (
        "tuple_types",
        "let t: [a: number, b?: string, ...rest: boolean[]] = [1];",
        "let t                                              = [1];",
    ),
    (
        "unique_symbol",
        "const s: unique symbol = Symbol();",
        "const s                = Symbol();",
    ),
    (
        "comments_are_kept",
        "let a /* one */ : /* two */ number /* three */ = 1; // four",
        "let a /* one */                    /* three */ = 1; // four",
    ),
    (
        "crlf",
        "let a: number = 1;\r\ninterface A {\r\n  x: string;\r\n}\r\nlet b = a as number;",
        "let a         = 1;\r\n;            \r\n            \r\n \r\nlet b = a          ;",
    ),
    (
        "non_ascii_type",
        r#"const a: Größe<"日本"> = 1; b();"#,
        "const a              = 1; b();",
    ),
    (
        "arrow_in_generic_call",
        "useState<(a: number) => void>(() => {});",
        "useState                     (() => {});",
    ),
    (
        "comparison_stays",
        "if (a < b && c > d) {}
let x: number = a < b ? 1 : 2;",
        "if (a < b && c > d) {}
let x         = a < b ? 1 : 2;",
    ),
    (
        "optional_parameter_before_comment",
        "function f(a? /* maybe */ : number) {}",
        "function f(a  /* maybe */         ) {}",
    ),
    (
        "getter_named_type",
        r#"class A { get type(): string { return "x"; } set type(v: string) {} }"#,
        r#"class A { get type()         { return "x"; } set type(v        ) {} }"#,
    ),
    (
        "accessors_with_modifiers",
        "class A { private static get a(): number { return 1; } protected set b(v: number) {} }",
        "class A { ;       static get a()         { return 1; } ;         set b(v        ) {} }",
    ),
    (
        "arguments_trailing_comma",
        "f<A, B>(a as A, b as B,);",
        "f      (a     , b     ,);",
    ),
    (
        "async_method_generic",
        "class A { static async m<T>(this: A, x: T): Promise<T> { return x; } }",
        "class A { static async m   (         x   )             { return x; } }",
    ),
    (
        "labelled_and_switch",
        r#"switch (x as string) { case "a" as any: break; }"#,
        r#"switch (x          ) { case "a"       : break; }"#,
    ),
    (
        "throw_and_yield",
        r#"function* g(): Generator<number> { const a: number = yield 1 as number; throw new Error("x") as Error; }"#,
        r#"function* g()                    { const a         = yield 1          ; throw new Error("x")         ; }"#,
    ),
    (
        "new_target_generic",
        "new (a as any)<string>(1);",
        "new (a       )        (1);",
    ),
    (
        "let_in_block_with_interface",
        "{ interface A {} let a: A = {} as A; a }",
        "{ ;              let a    = {}     ; a }",
    ),
    (
        "using_declare_as_name",
        "let declare = 1; declare
let b: number = declare",
        "let declare = 1; declare
let b         = declare",
    ),
];

/// Syntax that exists at run time.
pub(crate) const LOWERED: &[Case] = &[
    (
        "enum_basic",
        "enum Color { Red, Green = 5, Blue }
Color.Blue;",
        r#"var Color = /* @__PURE__ */ function(Color) {
Color[Color["Red"] = 0] = "Red";
Color[Color["Green"] = 5] = "Green";
Color[Color["Blue"] = 6] = "Blue";
return Color;
}(Color || {});
Color.Blue;
"#,
    ),
    (
        "enum_string",
        r#"enum E { A = "a", B = "b" }
E.A;"#,
        r#"var E = /* @__PURE__ */ function(E) {
E["A"] = "a";
E["B"] = "b";
return E;
}(E || {});
E.A;
"#,
    ),
    (
        "enum_computed",
        r#"enum F { A = 1 << 1, B = A | 4, C = "x".length }
F.B;"#,
        r#"var F = /* @__PURE__ */ function(F) {
F[F["A"] = 2] = "A";
F[F["B"] = 6] = "B";
F[F["C"] = "x".length] = "C";
return F;
}(F || {});
F.B;
"#,
    ),
    (
        "const_enum",
        "const enum K { A = 1 }
K.A;",
        r#"var K = /* @__PURE__ */ function(K) {
K[K["A"] = 1] = "A";
return K;
}(K || {});
K.A;
"#,
    ),
    (
        "namespace",
        "namespace N { export const a = 1; export function f() { return a; } }
N.f();",
        "let N;
(function(_N) {
const a = _N.a = 1;
function f() {
return a;
}
_N.f = f;
})(N || (N = {}));
N.f();
",
    ),
    (
        "nested_namespace",
        "namespace A.B { export const c = 1; }
A.B.c;",
        "let A;
(function(_A) {
let B;
(function(_B) {
const c = _B.c = 1;
})(B || (B = _A.B || (_A.B = {})));
})(A || (A = {}));
A.B.c;
",
    ),
    (
        "namespace_of_types",
        "namespace T { export type X = number; export interface Y {} }
const x: T.X = 1;",
        "const x = 1;
",
    ),
    (
        "parameter_properties",
        "class P { constructor(public a: number, private readonly b = 2, c?: string) { f(c); } }",
        "class P {
a;
b;
constructor(a, b = 2, c) {
this.a = a;
this.b = b;
f(c);
}
}
",
    ),
    (
        "parameter_properties_with_super",
        "class Q extends P { constructor(public z: number) { super(z); f(); } }",
        "class Q extends P {
z;
constructor(z) {
super(z);
this.z = z;
f();
}
}
",
    ),
    (
        "angle_assertion_of_object",
        "const f = () => <any>{ a: 1 };",
        "const f = () => ({ a: 1 });
",
    ),
    (
        "angle_assertion_multiline",
        "function f() { return <
  any>x; }",
        "function f() {
return x;
}
",
    ),
    (
        "import_equals_alias",
        "namespace N { export const a = { b: 1 }; }
import M = N.a;
M.b;",
        "let N;
(function(_N) {
const a = _N.a = { b: 1 };
})(N || (N = {}));
var M = N.a;
M.b;
",
    ),
];
