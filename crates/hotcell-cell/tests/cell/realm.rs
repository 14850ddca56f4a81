//! The hardened realm: what lockdown promises, and the examples of the SES proposal.

use hotcell_cell::Value;

use crate::support::{cell, eval, fresh, thrown};

const YES: Value = Value::Bool(true);

#[test]
fn every_intrinsic_is_frozen_through_and_through() {
    let code = r"
        const seen = new Set(); const loose = [];
        const visit = (value, path) => {
            if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
            seen.add(value);
            if (!Object.isFrozen(value) && !(ArrayBuffer.isView(value))) loose.push(path);
            visit(Reflect.getPrototypeOf(value), path + '.__proto__');
            for (const key of Reflect.ownKeys(value)) {
                const d = Reflect.getOwnPropertyDescriptor(value, key);
                const name = path + '.' + String(key);
                if ('value' in d) visit(d.value, name); else { visit(d.get, name); visit(d.set, name); }
            }
        };
        for (const name of Object.getOwnPropertyNames(globalThis)) {
            if (name !== 'globalThis') visit(globalThis[name], name);
        }
        for (const value of [function* () {}, async function () {}, async function* () {}, () => {}, [][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]) {
            visit(Reflect.getPrototypeOf(value), 'anonymous');
        }
        [loose.slice(0, 10).join(), seen.size > 700]
    ";
    assert_eq!(fresh(code), Value::array(["".into(), YES]));
}

#[test]
fn prototypes_cannot_be_poisoned() {
    for code in [
        "Object.prototype.polluted = 1",
        "Array.prototype.push = () => {}",
        "Object.defineProperty(Object.prototype, 'x', { value: 1 })",
        "Function.prototype.call = null",
        "delete Array.prototype.map",
        "Object.setPrototypeOf(Array.prototype, {})",
        "Promise.prototype.then = 1",
        "JSON.parse = 1",
        "Math.max = 1",
        "Map.prototype.get = 1",
        "({}).__proto__.x = 1",
        "URL.prototype.href = 1",
        "console.log = 1",
        "Intl.NumberFormat = 1",
        "TextEncoder.prototype.encode = 1",
    ] {
        assert_eq!(thrown(&mut cell(), code).name(), "TypeError", "{code}");
    }
}

#[test]
fn the_override_mistake_is_repaired() {
    let code = r"
        const o = {}; o.toString = () => 'mine'; o.valueOf = 3;
        const e = new Error('x'); e.name = 'Mine'; e.message = 'changed'; e.toString = () => 'e';
        const f = function () {}; f.toString = () => 'f';
        class A { } A.prototype.toString = () => 'A'; const inst = new A(); inst.constructor = 7;
        const a = []; a.concat = 1; a.push = 2;
        const p = Promise.resolve(); p.constructor = 5;
        f.constructor = 6; e.constructor = 8;
        [o.toString(), e.name, e.message, `${e}`, String(f), String(new A()), inst.constructor, a.concat, p.constructor, e.constructor].join('|')
    ";
    assert_eq!(fresh(code), Value::from("mine|Mine|changed|e|f|A|7|1|5|8"));
}

#[test]
fn harden_freezes_deeply() {
    assert_eq!(
        fresh(
            "const o = harden({ a: [{ b: 1 }], f() {} }); [o, o.a, o.a[0], o.f, o.f.prototype ?? o].every(Object.isFrozen)"
        ),
        YES
    );
    assert_eq!(
        thrown(&mut cell(), "const o = harden({ a: { b: 1 } }); o.a.b = 2").name(),
        "TypeError"
    );
}

#[test]
fn confine_evaluates_with_endowments_only() {
    let mut cell = cell();
    eval(
        &mut cell,
        "const confine = (src, endowments) => new Compartment({ globals: endowments, __options__: true }).evaluate(src);",
    );
    assert_eq!(
        eval(&mut cell, "confine('x + y', { x: 3, y: 4 })"),
        Value::from(7)
    );
    assert_eq!(eval(&mut cell, "confine('Object', {}) === Object"), YES);
    // SES's scope terminator: an unknown free name reads as undefined instead of throwing.
    assert_eq!(
        eval(&mut cell, "confine('typeof window', {})"),
        Value::from("undefined")
    );
    assert_eq!(
        eval(&mut cell, "confine('typeof process + typeof console', {})"),
        Value::from("undefinedundefined")
    );
    assert_eq!(
        thrown(&mut cell, "confine('y = 1', {})").name(),
        "ReferenceError"
    );
}

#[test]
fn plugins_share_a_counter_and_nothing_else() {
    let code = r"
        const confine = (src, globals) => new Compartment({ globals, __options__: true }).evaluate(src);
        function Counter() {
            let count = 0;
            return Object.freeze({ incr: Object.freeze(() => ++count), decr: Object.freeze(() => --count) });
        }
        const counter = new Counter();
        const bill = confine('() => { change(); return change() }', { change: counter.incr });
        const joan = confine('() => change()', { change: counter.decr });
        const attack = (src, change) => { try { return confine(src, { change }) } catch (e) { return e.name } };
        [bill(), joan(), attack('change.__proto__.poison = 1', counter.incr), attack('change.x = 1', counter.incr),
         attack('typeof counter', counter.incr), attack('Function.prototype.constructor(`return counter`)()', counter.decr), counter.incr()].join('|')
    ";
    assert_eq!(
        fresh(code),
        Value::from("2|1|TypeError|TypeError|undefined|TypeError|2")
    );
}

#[test]
fn identity_is_continuous_across_compartments() {
    let code = r"
        const a = new Compartment(), b = new Compartment();
        const arr = a.evaluate('[1]');
        b.globalThis.arr = arr;
        [arr instanceof Array, b.evaluate('arr instanceof Array'), a.evaluate('Object') === b.evaluate('Object'),
         a.globalThis === b.globalThis, a.evaluate('globalThis.mine = 1; typeof mine'), b.evaluate('typeof mine'), typeof mine,
         a.evaluate('(() => {}) instanceof Function'), b.evaluate('Function') !== a.evaluate('Function')].join('|')
    ";
    assert_eq!(
        fresh(code),
        Value::from("true|true|true|false|number|undefined|undefined|true|true")
    );
}

#[test]
fn a_cold_realm_can_be_given_a_date_and_math_of_its_own() {
    let code = r"
        const cold = new Compartment();
        const attempt = (c, src) => { try { return c.evaluate(src) } catch (e) { return e.name } };
        const before = [attempt(cold, 'Date.now()'), attempt(cold, 'new Date()'), attempt(cold, 'Math.random()')];
        function OwnDate(...args) { return new.target ? Reflect.construct(Date, args.length ? args : [OwnDate.now()], new.target) : 'now'; }
        const { now, prototype, name, length, ...rest } = Object.getOwnPropertyDescriptors(Date);
        Object.defineProperties(OwnDate, rest); OwnDate.prototype = Date.prototype;
        Object.defineProperty(OwnDate, 'now', { value: () => 42, writable: true, enumerable: false, configurable: true });
        const warm = new Compartment({ globals: { Date: OwnDate, Math: { ...Object.getOwnPropertyDescriptors(Math), random: () => 0.25 } }, __options__: true });
        [...before, warm.evaluate('Date.now()'), warm.evaluate('new Date().getTime()'), warm.evaluate('Math.random()'), attempt(cold, 'Date.now()')].join('|')
    ";
    assert_eq!(
        fresh(code),
        Value::from("TypeError|TypeError|TypeError|42|42|0.25|TypeError")
    );
}

#[test]
fn a_membrane_can_be_revoked() {
    let code = r"
        const makeMembrane = (target) => {
            let revoked = false; const wrappers = new WeakMap(), targets = new WeakMap();
            const wrap = (value, into, from) => {
                if (Object(value) !== value) return value;
                if (from.has(value)) return from.get(value);
                if (into.has(value)) return into.get(value);
                const shadow = typeof value === 'function' ? function () {} : {};
                const handler = new Proxy({}, { get: (_, trap) => (...args) => {
                    if (revoked) throw new TypeError('revoked');
                    return wrap(Reflect[trap](value, ...args.slice(1).map((a) => Array.isArray(a) ? a.map((x) => wrap(x, from, into)) : wrap(a, from, into))), into, from);
                } });
                const proxy = new Proxy(shadow, handler);
                into.set(value, proxy); from.set(proxy, value);
                return proxy;
            };
            return { wrapper: wrap(target, wrappers, targets), revoke() { revoked = true } };
        };
        const confine = (src, globals) => new Compartment({ globals, __options__: true }).evaluate(src);
        const makeCompartment = (src, endowments) => {
            const { wrapper, revoke } = makeMembrane(confine);
            return { wrapper: wrapper(src, endowments), revoke };
        };
        const { wrapper: bill, revoke: killBill } = makeCompartment('({ greet(name) { return `hello ${name}` }, nested: { n: 1 } })', {});
        const before = [bill.greet('joan'), bill.nested.n];
        const nested = bill.nested;
        killBill();
        const dead = (use) => { try { return use() } catch (e) { return e.message } };
        [...before, dead(() => bill.greet('joan')), dead(() => nested.n)].join('|')
    ";
    assert_eq!(fresh(code), Value::from("hello joan|1|revoked|revoked"));
}

#[test]
fn compartments_have_modules_and_hooks() {
    let code = r"
        const c = new Compartment({
            __options__: true,
            modules: { given: { namespace: { answer: 42 } } },
            resolveHook: (specifier) => specifier,
            importHook: async (specifier) => ({ imports: [], exports: ['name'], execute(exports) { exports.name = specifier } }),
        });
        const a = await c.import('loaded');
        [a.namespace.name, typeof c.importNow, c.globalThis !== globalThis].join('|')
    ";
    assert_eq!(fresh(code), Value::from("loaded|function|true"));
}

#[test]
fn the_standard_locale_methods_work() {
    assert_eq!(
        fresh(
            "[(1234.5).toLocaleString(), (0.256).toLocaleString('en-US', { style: 'percent' }), new Date(0).toLocaleDateString('en-US', { timeZone: 'UTC' })]"
        ),
        Value::from(vec!["1,234.5", "26%", "1/1/1970"])
    );
}
