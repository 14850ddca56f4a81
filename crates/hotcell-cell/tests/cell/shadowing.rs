//! An assignment may shadow what lockdown froze, and nothing that is frozen changes by it.

use hotcell_cell::Value;

use crate::support::{cell, eval, fresh, thrown};

/// `objects`: everything that lockdown froze, by path. `changes()`: what differs from how it was.
const INTRINSICS: &str = r"
    const objects = new Map();
    const visit = (value, path) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || value === globalThis || objects.has(value)) return;
        objects.set(value, path);
        visit(Reflect.getPrototypeOf(value), path + '.__proto__');
        for (const key of Reflect.ownKeys(value)) {
            const d = Reflect.getOwnPropertyDescriptor(value, key);
            for (const part of [d.value, d.get, d.set]) visit(part, path + '.' + String(key));
        }
    };
    for (const name of Object.getOwnPropertyNames(globalThis)) visit(globalThis[name], name);
    for (const value of [function* () {}, async function () {}, async function* () {}, [][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), [].values().map(x => x)]) {
        visit(Reflect.getPrototypeOf(value), 'anonymous');
    }
    const picture = object => {
        const keys = Reflect.ownKeys(object);
        return [Reflect.getPrototypeOf(object), Reflect.isExtensible(object), ...keys, ...keys.flatMap(key => {
            const d = Reflect.getOwnPropertyDescriptor(object, key);
            return [d.value, d.get, d.set, d.writable, d.enumerable, d.configurable];
        })];
    };
    const before = new Map([...objects.keys()].map(object => [object, picture(object)]));
    const changes = () => [...objects].filter(([object]) => {
        const now = picture(object), then = before.get(object);
        return now.length !== then.length || !now.every((part, i) => Object.is(part, then[i]));
    }).map(([, path]) => path);
";

#[test]
fn no_assignment_changes_an_intrinsic() {
    let mut cell = cell();
    eval(&mut cell, INTRINSICS);
    let code = r"
        const base = { put(key, value) { super[key] = value } };
        const attacks = [
            (o, k, v) => { o[k] = v },
            (o, k, v) => { const { x } = { x: o[k] = v } },
            (o, k, v) => { [o[k]] = [v] },
            (o, k, v) => { for (o[k] of [v]); },
            (o, k, v) => { o[k] ||= v; o[k] &&= v; o[k] ??= v },
            (o, k) => { o[k]++ },
            (o, k, v) => Reflect.set(o, k, v),
            (o, k, v) => Reflect.set(o, k, v, o),
            (o, k, v) => Reflect.set(Object.create(o), k, v, o),
            (o, k, v) => Reflect.set({}, k, v, o),
            (o, k, v) => Reflect.set([], k, v, o),
            (o, k, v) => Reflect.set(new Uint8Array(2), k, v, o),
            (o, k, v) => Reflect.set(Object.freeze({ [k]: 1 }), k, v, o),
            (o, k, v) => Reflect.set(new Proxy({}, {}), k, v, o),
            (o, k, v) => Reflect.set(new Proxy(o, {}), k, v, o),
            (o, k, v) => Reflect.set(new Proxy(Object.create(o), {}), k, v, o),
            (o, k, v) => Reflect.set(o, k, v, new Proxy(o, {})),
            (o, k, v) => Reflect.set(Object.create(o), k, v, new Proxy(o, {})),
            (o, k, v) => { new Proxy(o, {})[k] = v },
            (o, k, v) => { new Proxy(o, { set: (t, key, value, r) => Reflect.set(t, key, value, t) })[k] = v },
            (o, k, v) => { Object.create(new Proxy(o, {}))[k] = v },
            (o, k, v) => { Object.create(o)[k] = v },
            (o, k, v) => { Object.assign(o, { [k]: v }) },
            (o, k, v) => { Object.assign(Object.create(o), { [k]: v }) },
            (o, k, v) => { base.put.call(o, k, v) },
            (o, k, v) => { ({ __proto__: o, put(k, v) { super[k] = v } }).put(k, v) },
            (o, k, v) => { ({ __proto__: o, put(k, v) { super[k] = v } }).put.call(o, k, v) },
            (o) => { Array.prototype.push.call(o, 1) },
            (o) => { Array.prototype.sort.call(o) },
            (o) => { Array.prototype.reverse.call(o) },
            (o, k, v) => { Array.prototype.fill.call(o, v) },
        ];
        let tried = 0;
        for (const object of objects.keys()) {
            for (const key of [...Reflect.ownKeys(object), 'brandNew', '0', 'length', Symbol.iterator]) {
                for (const attack of attacks) {
                    tried++;
                    try { attack(object, key, () => 'poison') } catch (error) { if (!(error instanceof Error)) throw error }
                }
            }
        }
        const changed = changes();
        [changed.length, changed.slice(0, 5).join(), tried > 100000]
    ";
    assert_eq!(
        eval(&mut cell, code),
        Value::array([0.into(), "".into(), true.into()])
    );
}

#[test]
fn every_inherited_data_property_can_be_shadowed() {
    let mut cell = cell();
    eval(&mut cell, INTRINSICS);
    let code = r"
        const stuck = [];
        for (const [object, path] of objects) {
            for (const key of Reflect.ownKeys(object)) {
                if (!('value' in Reflect.getOwnPropertyDescriptor(object, key))) continue;
                const child = Object.create(object);
                try { child[key] = 1 } catch { stuck.push(path + '.' + String(key)); continue }
                const d = Reflect.getOwnPropertyDescriptor(child, key);
                if (!d || d.value !== 1 || !d.writable || !d.enumerable || !d.configurable) stuck.push(path + '.' + String(key));
                const other = Object.assign(Object.create(object), { [key]: 2 });
                if (other[key] !== 2 || !Reflect.set(other, key, 3) || other[key] !== 3) stuck.push(path + '.' + String(key));
            }
        }
        [stuck.slice(0, 10).join(), changes().length]
    ";
    assert_eq!(eval(&mut cell, code), Value::array(["".into(), 0.into()]));
}

#[test]
fn shadowing_makes_an_ordinary_property_of_the_receiver() {
    let code = r"
        class Point { constructor() { this.constructor = 'c'; super.valueOf = 'v' } }
        class Sub extends Array { constructor() { super(); super.map = 'm'; this.join = 'j' } }
        const receiver = {};
        const results = [
            Reflect.set(Object.prototype, 'constructor', 1, receiver), receiver.constructor,
            Reflect.set({}, 'valueOf', 2, receiver), receiver.valueOf,
            Object.keys(new Point()).join(), new Sub().map + new Sub().join,
            Object.keys(Object.assign([], { map: 1 })).join(),
            (() => { const f = () => {}; f.call = 'call'; return f.call })(),
            (() => { const m = new Map(); m.get = 'get'; return m.get + typeof new Map().get })(),
            (() => { const t = new Uint8Array(1); t.fill = 'fill'; return t.fill })(),
            (function () { arguments.hasOwnProperty = 'args'; return arguments.hasOwnProperty })(),
            (() => { const e = new RangeError('x'); e.constructor = 'e'; return e.constructor })(),
            (() => { const p = new Proxy({}, {}); p.constructor = 'p'; return p.constructor })(),
            (() => { const log = []; const p = new Proxy({}, { defineProperty(t, k, d) { log.push(k, d.value); return Reflect.defineProperty(t, k, d) } }); p.valueOf = 9; return log.join() })(),
            (() => { const d = new Date(0); d.toISOString = 'iso'; return d.toISOString })(),
        ];
        results.join('|')
    ";
    assert_eq!(
        fresh(code),
        Value::from(
            "true|1|true|2|constructor,valueOf|mj|map|call|getfunction|fill|args|e|p|valueOf,9|iso"
        )
    );
}

#[test]
fn what_a_program_made_read_only_stays_so() {
    for code in [
        "const o = Object.create(Object.freeze({ a: 1 })); o.a = 2",
        "const o = Object.create(Object.freeze({ constructor: 1 })); o.constructor = 2",
        "const o = Object.defineProperty({}, 'constructor', { value: 1 }); o.constructor = 2",
        "class A { static { Object.freeze(this.prototype) } m() {} } new A().m = 1",
        "class A { get valueOf() { return 1 } } new A().valueOf = 1",
        "Object.freeze({}).constructor = 1",
        "Object.preventExtensions([]).join = 1",
        "const o = Object.create(harden({ toString() {} })); o.toString = 1",
        "'text'.constructor = 1",
        "(5).toFixed = 1",
        "Symbol().description = 1",
        "const f = function () {}; f.name = 'x'",
        "const a = Object.freeze([1]); a.push = 1",
        "Object.assign(Object.freeze({}), { constructor: 1 })",
        "({ put() { super.constructor = 1 } }).put.call(Object.freeze({}))",
        "({ put() { super.constructor = 1 } }).put.call(5)",
        "undefined = 1",
        "globalThis.NaN = 1",
        "const p = new Proxy(Object.freeze({}), {}); p.constructor = 1",
        "const p = new Proxy({}, { set: () => false }); p.constructor = 1",
    ] {
        assert_eq!(thrown(&mut cell(), code).name(), "TypeError", "{code}");
    }
    let silent = r"
        const own = Object.defineProperty({}, 'valueOf', { value: 1 });
        const sealed = Object.preventExtensions({});
        const getter = { get constructor() { return 1 } };
        [Reflect.set(own, 'valueOf', 2), Reflect.set({}, 'valueOf', 2, own), Reflect.set(sealed, 'valueOf', 2),
         Reflect.set({}, 'valueOf', 2, sealed), Reflect.set({}, 'constructor', 2, getter), Reflect.set({}, 'valueOf', 2, 5),
         Reflect.set(Object.create(Object.freeze({ valueOf: 1 })), 'valueOf', 2), own.valueOf, Object.keys(sealed).length].join()
    ";
    assert_eq!(
        fresh(silent),
        Value::from("false,false,false,false,false,false,false,1,0")
    );
}

#[test]
fn what_lockdown_froze_looks_like_frozen_data() {
    let code = r"
        const of = (object, key) => { const d = Object.getOwnPropertyDescriptor(object, key); return typeof d.value + d.writable + d.configurable };
        [of(Array.prototype, 'push'), of(Array.prototype, Symbol.iterator), of(Object.prototype, 'toString'), of(Error.prototype, 'name'), of(Function.prototype, 'bind')].join()
    ";
    assert_eq!(
        fresh(code),
        Value::from(
            "functionfalsefalse,functionfalsefalse,functionfalsefalse,stringfalsefalse,functionfalsefalse"
        )
    );
}
