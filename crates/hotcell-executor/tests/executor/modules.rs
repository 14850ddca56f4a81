//! Modules: sources, and functions and values of the host's.

use hotcell_cell::{ToolError, Value};
use hotcell_executor::{AgentTool, ErrorCode, Executor, ExecutorOptions, Module, Permission};
use pollster::block_on;
use serde_json::json;

use crate::support::{fail as fails, value as run};

fn shop() -> Module {
    let price = AgentTool::asynchronous(|call| async move {
        match call.argument(0).get("item").and_then(Value::as_str) {
            Some("tea") => Ok(Value::from(3)),
            _ => Err(ToolError::from("we have no such thing")),
        }
    })
    .description("What something costs")
    .parameters(json!({
        "type": "object",
        "properties": { "item": { "type": "string" } },
        "required": ["item"],
        "additionalProperties": false,
    }));
    let close = AgentTool::sync(|_| Ok(Value::Undefined)).permission(Permission::Deny);
    Module::new()
        .function("price", price)
        .function("close", close)
        .value("tax", 0.5)
        .value("names", vec!["tea", "milk"])
}

fn options() -> ExecutorOptions {
    crate::options()
        .authorized_imports(["shop", "sums", "broken", "nowhere"])
        .module("shop", shop())
        .module(
            "sums",
            "import { tax } from 'shop';\nexport const withTax = (n: number): number => n * (1 + tax);\nexport enum Size { Small, Large }\nexport function fail() {\n  throw new Error('in the module');\n}",
        )
        .module("broken", "export const = 1;")
        .module("secret", "export const word = 'hush';")
}

fn ready() -> Executor {
    let executor = Executor::new(options());
    block_on(executor.init()).unwrap();
    executor
}

#[test]
fn an_import_at_the_top_just_works() {
    let executor = ready();
    let code = "import { price, tax, names } from 'shop';\nimport * as sums from \"sums\";\nsums.withTax(await price({ item: names[0] })) + sums.Size.Large";
    assert_eq!(run(&executor, code), Value::from(5.5));
    // What was imported stays, as what was declared does.
    assert_eq!(run(&executor, "tax"), Value::from(0.5));
    assert_eq!(
        run(
            &executor,
            "import shop from 'shop'; Object.keys(shop).join()"
        ),
        Value::from("price,close,tax,names")
    );
    assert_eq!(
        run(&executor, "const { tax: t } = await import('shop'); t"),
        Value::from(0.5)
    );
}

#[test]
fn functions_of_modules_cross_the_boundary() {
    let executor = ready();
    let error = fails(
        &executor,
        "import { price } from 'shop';\nawait price({ thing: 1 })",
    );
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert!(
        error.message.contains("(call it as price({ item }))"),
        "{error}"
    );
    assert_eq!(error.details["tool"], "shop#price");
    assert_eq!(error.location.map(|place| place.line), Some(2));
    let error = fails(&executor, "close()");
    assert_eq!(error.code, ErrorCode::RuntimeException);
    let error = fails(&executor, "import { close } from 'shop'; close()");
    assert!(error.message.contains("may not be called"), "{error}");
    let step = block_on(executor.run("await price('tea')")).unwrap();
    assert_eq!(&*step.calls[0].tool, "shop#price");
}

#[test]
fn what_is_not_there_or_not_allowed_is_refused_before_anything_runs() {
    let executor = ready();
    for (code, module) in [
        ("import x from 'nowhere'; globalThis.ran = 1", "nowhere"),
        (
            "import { word } from 'secret'; globalThis.ran = 1",
            "secret",
        ),
    ] {
        let error = fails(&executor, code);
        assert_eq!(error.code, ErrorCode::ImportNotAllowed, "{code}");
        assert_eq!(error.message, format!("Import not allowed: {module}"));
    }
    let error = fails(
        &executor,
        "import { prise } from 'shop'; globalThis.ran = 1",
    );
    assert_eq!(error.code, ErrorCode::ValidationFailed);
    assert!(error.message.contains("does not export `prise`"), "{error}");
    assert_eq!(run(&executor, "globalThis.ran"), Value::Undefined);
    let error = fails(&executor, "await import('broken')");
    assert!(
        error.message.contains("the module \"broken\": ") && error.message.contains("line 1"),
        "{error}"
    );
}

#[test]
fn errors_in_modules_have_places_of_their_own_source() {
    let executor = ready();
    let error = fails(&executor, "import { fail } from 'sums';\nfail()");
    assert_eq!(error.location.map(|place| place.line), Some(2));
    let stack = error.details["cause"]["stack"].as_str().unwrap();
    assert!(stack.contains("sums:5:"), "{stack}");
}

#[test]
fn modules_follow_a_fork_and_a_restore() {
    let executor = ready();
    run(&executor, "import { price } from 'shop'; 0");
    let fork = block_on(executor.fork()).unwrap();
    assert_eq!(run(&fork, "await price('tea')"), Value::from(3));
    let bytes = block_on(executor.snapshot()).unwrap();
    let later = Executor::restore(&bytes, Some(options())).unwrap();
    assert_eq!(run(&later, "await price('tea')"), Value::from(3));
    // What was authorised then is not authorised now.
    let bare = Executor::restore(&bytes, None).unwrap();
    let error = fails(&bare, "await price('tea')");
    assert!(error.message.contains("not connected"), "{error}");
    assert_eq!(
        fails(&bare, "await import('sums')").code,
        ErrorCode::ImportNotAllowed
    );
}

#[test]
fn a_module_that_cannot_be_made_is_told_by_init() {
    for module in [
        Module::new().value("not a name", 1),
        Module::new().function(
            "f",
            AgentTool::sync(|_| Ok(Value::Null)).parameters(json!({ "type": 5 })),
        ),
    ] {
        let options = crate::options()
            .authorized_imports(["m"])
            .module("m", module);
        let error = block_on(Executor::new(options).init()).unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{error}");
    }
}

#[test]
fn the_prompt_tells_what_modules_export() {
    let executor = ready();
    let context = hotcell_prompt::PromptContext {
        modules: executor.modules(),
        authorized_imports: vec!["shop".into(), "sums".into()],
        ..Default::default()
    };
    let prompt = hotcell_prompt::render_system_prompt(&context).unwrap();
    assert!(
        prompt.contains("declare module \"shop\" {\n  /** What something costs */\n  export function price(args: { item: string }): Promise<unknown>;"),
        "{prompt}"
    );
    assert!(
        prompt.contains("export const withTax: unknown;"),
        "{prompt}"
    );
    assert!(
        prompt.contains("import { something } from \"name\"") && !prompt.contains("secret"),
        "{prompt}"
    );
}
