//! Attempts to reach what is not given.

use hotcell_cell::{Tool, Value};

use crate::support::{cell, eval, fresh, thrown};

#[test]
fn no_way_leads_to_the_host() {
    for code in [
        "this.constructor.constructor('return process')()",
        "(function () {}).constructor('return process')()",
        "Object.getPrototypeOf(async function () {}).constructor('return process')()",
        "tool.constructor('return process')()",
        "tool(1).constructor.constructor('return process')()",
        "process.pid",
        "require('fs')",
        "module.exports",
        "new WebAssembly.Memory({})",
    ] {
        let mut cell = cell();
        cell.define_tool("tool", Tool::asynchronous(|_| async { Ok(Value::Null) }))
            .unwrap();
        let exception = thrown(&mut cell, code);
        assert!(
            matches!(exception.name().as_str(), "TypeError" | "ReferenceError"),
            "{code}: {exception}"
        );
    }
}

#[test]
fn the_bridges_internals_cannot_be_named_or_found() {
    let code = r"
        const seen = new Set(), found = [];
        const visit = (value, path) => {
            if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
            seen.add(value);
            visit(Reflect.getPrototypeOf(value), path + '.__proto__');
            for (const key of Reflect.ownKeys(value)) {
                const name = path + '.' + String(key);
                if (/native|hotcell|library|utf8|promiseState|proxyTarget|previewEntries|classOf/i.test(String(key))) found.push(name);
                const d = Reflect.getOwnPropertyDescriptor(value, key);
                visit('value' in d ? d.value : d.get, name);
                visit(d.set, name);
            }
        };
        visit(globalThis, 'globalThis');
        visit(new URL('http://x'), 'url'); visit(new TextDecoder(), 'decoder'); visit(new Intl.NumberFormat(), 'format'); visit(console, 'console');
        try { null.x } catch (e) { visit(e, 'error') }
        found.join()
    ";
    assert_eq!(fresh(code), Value::from(""));
}

#[test]
fn stacks_and_errors_give_no_handles() {
    let mut cell = cell();
    cell.define_tool("boom", Tool::sync(|_| Err("x".into())))
        .unwrap();
    assert_eq!(
        eval(
            &mut cell,
            "typeof Error.captureStackTrace + typeof Error.prepareStackTrace + typeof Error.stackTraceLimit"
        ),
        Value::from("undefinedundefinedundefined")
    );
    assert_eq!(
        eval(&mut cell, "try { boom() } catch (e) { typeof e.stack }"),
        Value::from("string")
    );
    assert_eq!(
        eval(
            &mut cell,
            "(function f() { return [typeof f.caller, typeof f.arguments].join() })()"
        ),
        Value::from("undefined,undefined")
    );
    assert_eq!(
        thrown(&mut cell, "(function () { return arguments.callee })()").name(),
        "TypeError"
    );
}

#[test]
fn the_operation_counter_is_out_of_reach() {
    let mut cell = cell();
    for name in [
        "__smol_op_counter",
        "__smol_guard",
        "__smol_max_ops",
        "hc_operations_left",
    ] {
        assert_eq!(
            eval(&mut cell, format!("typeof {name}").as_str()),
            Value::from("undefined"),
            "{name}"
        );
    }
}

#[test]
fn cells_do_not_see_each_other() {
    let (mut a, mut b) = (cell(), cell());
    eval(&mut a, "globalThis.secret = 'a'; let hidden = 1;");
    assert_eq!(
        eval(&mut b, "typeof secret + typeof hidden"),
        Value::from("undefinedundefined")
    );
    drop(a);
    // The next cell gets the memory of the last one, wiped.
    assert_eq!(
        fresh("typeof secret + typeof hidden"),
        Value::from("undefinedundefined")
    );
}
