import { readFileSync } from 'node:fs'
import type { Code } from '../../protocol/problem.ts'

/** What to do about each problem, in Markdown: the rows of the table of codes in the chapter on errors. */
export const remediesIn = (errors: string): readonly (readonly [Code, string])[] =>
  [...errors.matchAll(/^\| ?\[`(\w+)`\]\(\/problems\/\w+\) ?\| ?\d+ ?\| ?(.+?) ?\|$/gm)].map(
    ([, code, remedy = '']) => [code as Code, remedy] as const,
  )

/** The same as text, without the addresses of links. */
export const readRemedies = (): ReadonlyMap<string, string> => {
  const rows = remediesIn(readFileSync(new URL('../../../guide/errors.md', import.meta.url), 'utf8'))
  return new Map(rows.map(([code, remedy]) => [code, remedy.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')]))
}
