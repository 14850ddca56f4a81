// Text in, checked and guarded text out: what the executor contract asks for before code runs, with Babel.

import * as babelGenerator from '@babel/generator';
import * as babelTraverse from '@babel/traverse';
import { parse } from '@babel/parser';
import * as t from '@babel/types';

const generate = babelGenerator.generate ?? babelGenerator.default;
const traverse = babelTraverse.traverse ?? babelTraverse.default;

const SUSPICIOUS = new Set(['process', 'require', 'module', 'global', 'fetch', 'Deno', 'Bun', 'window', 'document']);
const LOOPS = 'ForStatement|ForInStatement|ForOfStatement|WhileStatement|DoWhileStatement';

/** `{ diagnostics, code }`; `code` is missing if a diagnostic is an error. */
export function prepare(source, options) {
  const diagnostics = [];
  const report = (severity, rule, message, node, more) => {
    const { line, column } = node?.loc?.start ?? {};
    diagnostics.push({ rule, severity, message, location: line && { line, column }, ...more });
  };
  const refused = () => diagnostics.some(({ severity }) => severity === 'ERROR');

  if (typeof source !== 'string' || !source.trim()) report('ERROR', 'code_non_empty', 'Code is empty');
  for (const [option, rule] of [['maxOperations', 'max_operations_valid'], ['timeoutMs', 'timeout_valid']]) {
    if (!(options[option] >= 1 && Number.isFinite(options[option]))) report('ERROR', rule, `Invalid ${option}: ${options[option]}`);
  }
  if (options.maxLogBytes < 4096) report('INFO', 'log_budget_too_small', `maxLogBytes ${options.maxLogBytes} is small`);
  if (refused()) return { diagnostics };

  let tree;
  try {
    // As a module, so that a static import parses and can be refused by name.
    tree = parse(source, { sourceType: 'module', allowReturnOutsideFunction: true, allowImportExportEverywhere: true });
  } catch (error) {
    report('ERROR', 'syntax_valid', error.message, { loc: { start: error.loc } });
    return { diagnostics };
  }
  const refuse = (node, module) => report('ERROR', 'static_import_in_script_mode', `Import not allowed: ${module}`, node, { module });
  traverse(tree, {
    ImportDeclaration: ({ node }) => refuse(node, node.source.value),
    ExportDeclaration: ({ node }) => refuse(node, 'export'),
    ImportExpression(path) {
      const { source: name } = path.node;
      const module = t.isStringLiteral(name) ? name.value : '<dynamic>';
      if (!options.authorizedImports.includes(module)) {
        report('ERROR', 'import_allowed', `Import not allowed: ${module}`, path.node, { module });
      }
      path.replaceWith(t.callExpression(t.identifier('__smol_import'), [name]));
    },
    ReferencedIdentifier({ node, scope }) {
      if (SUSPICIOUS.has(node.name) && !scope.hasBinding(node.name, true)) {
        report('WARNING', 'forbidden_global_access', `Suspicious global: ${node.name}`, node);
      }
    },
    [LOOPS]: {
      exit({ node }) {
        if (!options.guards) return;
        if (!t.isBlockStatement(node.body)) node.body = t.blockStatement([node.body]);
        node.body.body.unshift(t.expressionStatement(t.callExpression(t.identifier('__smol_guard'), [])));
      },
    },
  });
  if (refused()) return { diagnostics };
  return { diagnostics, code: counter(options.maxOperations) + generate(tree, { comments: false }).code };
}

/** What every guarded loop calls. */
const counter = (limit) => `let __smol_operations = 0;
class MaxOperationsExceededError extends Error { code = 'ERR_MAX_OPS_EXCEEDED'; }
function __smol_guard() {
  if (++__smol_operations > ${limit}) throw new MaxOperationsExceededError('Max operations exceeded (${limit})');
}
`;
