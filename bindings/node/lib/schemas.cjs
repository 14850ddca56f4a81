'use strict';
// Schemas of other libraries as JSON Schema. What is taken for one and is none would check nothing and tell the model nothing.

const AI_SCHEMA = Symbol.for('vercel.ai.schema');

/** JSON Schema for `given`, or a complaint. `side` is 'input' for what a tool takes and 'output' for what it gives. */
function jsonSchemaOf(given, side, what) {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'boolean') return given;
  if (typeof given === 'function' && !('~standard' in given)) {
    // The AI SDK makes some schemas when they are first needed.
    const made = given.length === 0 ? attempt(() => given(), what) : undefined;
    if (made === null || typeof made !== 'object') throw refused(what, 'it is a function');
    return jsonSchemaOf(made, side, what);
  }
  if (typeof given !== 'object' && typeof given !== 'function') throw refused(what, `it is a ${typeof given}`);
  if (given[AI_SCHEMA] === true || (typeof given.validate === 'function' && 'jsonSchema' in given && !('~standard' in given))) {
    const { jsonSchema } = given;
    if (typeof jsonSchema?.then === 'function') throw refused(what, 'its JSON Schema is a promise: await it first');
    return jsonSchemaOf(jsonSchema, side, what);
  }
  const standard = given['~standard'];
  if (standard !== undefined) {
    if (typeof standard?.jsonSchema?.[side] === 'function') {
      return plain(attempt(() => standard.jsonSchema[side]({ target: 'draft-2020-12' }), what), what);
    }
    const convert = given.toJSONSchema ?? given.toJsonSchema;
    if (typeof convert === 'function') return plain(attempt(() => Reflect.apply(convert, given, [{ io: side }]), what), what);
    throw refused(what, `${standard?.vendor ?? 'its library'} says nothing of JSON Schema here: convert it first, as with ${converter(standard?.vendor)}`);
  }
  if ('_zod' in given || '_def' in given) throw refused(what, 'it is a schema of zod: convert it first, as with z.toJSONSchema(schema)');
  return plain(given, what);
}

function converter(vendor) {
  return { valibot: 'toJsonSchema(schema) of @valibot/to-json-schema', zod: 'z.toJSONSchema(schema)' }[vendor] ?? 'a converter of that library';
}

/** As data. `$schema` of a draft that we know is fine as it is. */
function plain(schema, what) {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw refused(what, 'it is no object');
  return schema;
}

function attempt(work, what) {
  try {
    return work();
  } catch (error) {
    throw refused(what, error?.message ?? String(error));
  }
}

function refused(what, why) {
  return new TypeError(`${what} is no JSON Schema, and cannot be made one: ${why}`);
}

module.exports = { jsonSchemaOf };
