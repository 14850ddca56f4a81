// Compares what the snippets beside this file expect with what Node gives: `node --expose-internals verify.mjs`.
//
// A snippet is run as a strict script, step after step in one context. One with a top-level `return` or `await` is run as the
// REPL runs it or, if it returns, as an async function. `//--` marks a step of which Node is no judge, and says why.
import { readFileSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { format } from "node:util"
import vm from "node:vm"

const here = new URL(".", import.meta.url)
const { processTopLevelAwait } = createRequire(import.meta.url)("internal/repl/await")
process.on("unhandledRejection", () => {})

let agreed = 0, skipped = 0, wrong = 0
for (const file of readdirSync(here).filter(name => name.endsWith(".js"))) {
  const text = readFileSync(new URL(file, here), "utf8")
  for (const part of text.split(/^\/\/\/\/ (?!step$)/m).slice(1)) {
    const end = part.indexOf("\n")
    const name = part.slice(0, end)
    const logs = []
    const context = fresh(logs)
    let judge = true
    for (const [number, step] of part.slice(end + 1).split(/^\/\/\/\/ step\n/m).entries()) {
      const wanted = read(step)
      judge &&= !wanted.skip
      if (!judge) { skipped++; continue }
      logs.length = 0
      const got = { ...await run(wanted.code, context), logs: [...logs] }
      if (same(wanted, got)) { agreed++; continue }
      wrong++
      console.log(`${file}: ${name} (step ${number + 1})\n  wanted ${JSON.stringify(wanted.result)} ${JSON.stringify(wanted.logs)}\n  got    ${JSON.stringify(got)}`)
    }
  }
}
console.log(`${agreed} steps agree, ${wrong} do not, ${skipped} skipped`)
process.exit(wrong ? 1 : 0)

function read(step) {
  const lines = step.replace(/\n+$/, "").split("\n")
  const of = prefix => lines.filter(line => line.startsWith(prefix)).map(line => line.slice(prefix.length))
  const code = lines.filter(line => !/^\/\/(=>|!!|>>|--|~~|\?\?) /.test(line))
  const js = code.findIndex(line => line === "//== js")
  return { code: code.slice(js + 1).join("\n"), logs: of("//>> "), skip: of("//-- ").length > 0, result: { value: of("//=> ")[0], error: of("//!! ")[0] } }
}

function same({ result, logs }, got) {
  if (JSON.stringify(logs) !== JSON.stringify(got.logs)) return false
  if (result.error !== undefined) {
    const parts = /^([A-Z]\w*)(?:: (.*))?$/.exec(result.error)
    if (parts && got.name !== undefined) return parts[1] === got.name && (parts[2] ?? got.message) === got.message
    return result.error === got.thrown
  }
  return result.value === got.value
}

function fresh(logs) {
  const print = (...args) => void logs.push(...format(...args).split("\n"))
  const context = vm.createContext({ console: { log: print, warn: print, error: print, info: print } })
  for (const name of ["structuredClone", "queueMicrotask", "URL", "TextEncoder", "TextDecoder", "atob", "btoa"]) {
    Object.defineProperty(context, name, { value: globalThis[name], configurable: true, writable: true })
  }
  return context
}

async function run(code, context) {
  try {
    return { value: show(await evaluate(code, context)) }
  } catch (error) {
    const isError = Object.prototype.toString.call(error) === "[object Error]" || error?.name === "DataCloneError"
    return isError ? { name: error.name, message: error.message } : { thrown: show(error) }
  }
}

function evaluate(code, context) {
  const prefix = '"use strict";'
  let awaited = null
  try { awaited = processTopLevelAwait(code) } catch {}
  if (awaited) return new vm.Script(`${prefix} ${awaited}`).runInContext(context).then(done => done?.value)
  let script
  try {
    script = new vm.Script(`${prefix} void 0; ${code}`)
  } catch {
    script = new vm.Script(`${prefix} (async () => { ${prefix}\n${code}\n})()`)
  }
  return script.runInContext(context)
}

// The tagged JSON of the stdio protocol, as far as the snippets go.
function show(value) {
  const uses = new Map(), numbers = new Map()
  const count = v => {
    if (typeof v !== "object" || v === null) return
    uses.set(v, (uses.get(v) ?? 0) + 1)
    if (uses.get(v) > 1) return
    numbers.set(v, numbers.size)
    for (const x of kind(v) === "Map" ? [...v].flat() : kind(v) === "Set" ? v : Object.values(v)) count(x)
  }
  count(value)
  const ids = new Map()
  const write = v => {
    if (v === undefined) return "undefined"
    if (typeof v !== "object" || v === null) return plain(v)
    if (ids.has(v)) return { $: "ref", id: ids.get(v) }
    if (uses.get(v) === 1) return body(v)
    ids.set(v, numbers.get(v))
    return { $: "def", id: ids.get(v), value: body(v) }
  }
  const inner = v => v === undefined ? { $: "undefined" } : write(v)
  const body = v => {
    switch (kind(v)) {
      case "Array": return Array.from({ length: v.length }, (_, i) => i in v ? inner(v[i]) : { $: "hole" })
      case "Map": return { $: "map", entries: [...v].map(([k, x]) => [inner(k), inner(x)]) }
      case "Set": return { $: "set", values: [...v].map(inner) }
      case "Date": return { $: "date", value: v.toISOString() }
      case "Uint8Array": return { $: "bytes", base64: Buffer.from(v).toString("base64") }
      default: return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, inner(x)]))
    }
  }
  const plain = v => {
    if (typeof v === "bigint") return { $: "bigint", value: String(v) }
    if (typeof v === "number" && (!Number.isFinite(v) || Object.is(v, -0))) return { $: "number", value: Object.is(v, -0) ? "-0" : String(v) }
    return typeof v === "function" || typeof v === "symbol" ? String(v) : v
  }
  const result = write(value)
  return result === "undefined" && value === undefined ? "undefined" : JSON.stringify(result)
}

function kind(v) {
  return Object.prototype.toString.call(v).slice(8, -1)
}
