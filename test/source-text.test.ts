import test from 'ava'
import { readSource } from './source-text.ts'

test('text in comments, strings, templates and regular expressions is not code', (t) => {
  const innocent = [
    '// process.exit(), import("./c.ts") and Date.now()',
    "/* import { c } from './c.ts'\n export default 1 */",
    "const a = 'new Date() `' + \"it's import('./c.ts')\" + `Math.random() \\` // '`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code that is read here
    "const b = /['`\"/*]\\/[/'`]/.test(a) ? 1 / 2 / 3 : `${`a${/}`/.test('b')}`}`",
    "import * as E from 'fp-ts/lib/Either.js'",
  ]
  const { code, imports, unread } = readSource(innocent.join('\n'))
  t.deepEqual(imports, [{ specifier: 'fp-ts/lib/Either.js', typeOnly: false }])
  t.deepEqual(unread, [])
  t.notRegex(code, /process|Date|Math|default|c\.ts/)
  t.is(code.split('\n').length, 6, 'line numbers are kept')
})

test('an expression in the braces of a template is code', (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code that is read here
  const { code } = readSource('const a = `is ${`not ${process.env} code`} here`')
  t.regex(code, /process\.env/)
  t.notRegex(code, /is|not|code|here/)
})

test('every form of import is found, type-only imports marked as such', (t) => {
  const source = `
    import a, { type B, c } from './1.ts'
    import type { D } from './2.ts'
    import {
      type E, // 'not-this.ts'
      type F as G,
    } from './3.ts'
    import * as h from './4.ts'
    import './5.ts'
    export { i } from './6.ts'
    export type { J } from './7.ts'
    export * from './8.ts'
    const k = await import( './9.ts' )
    type L = import("./10.ts").L
    import type from './11.ts'
    import {} from './12.ts'
    const m = import.meta.url`
  t.deepEqual(
    readSource(source).imports.map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`),
    [
      ...['./1.ts', './2.ts type', './3.ts type', './4.ts', './6.ts', './7.ts type', './8.ts', './11.ts', './12.ts'],
      ...['./5.ts', './9.ts', './10.ts'],
    ],
  )
})
