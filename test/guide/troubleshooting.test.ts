import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ROOT } from '../process/harness.ts'
import { chapter } from './documents.ts'

/** The source as one text, in which sentences that are written in parts are whole. */
const source = globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n')
  .replaceAll(/['`"] \+\s+['`"]/g, '')
  .replaceAll(/\$\{[^}]*\}|\{[^{}\n]*\}/g, '…')

/** Whether the source says all parts of a quotation, in its order in one line. */
const isSaid = (quotation: string): boolean => {
  const [first = '', ...others] = quotation.split(/\s*…\s*/).filter((part) => part !== '')
  return source.split(first).some((_, n, pieces) => {
    if (n === 0) return false
    const line = first + (pieces[n] ?? '').split('\n')[0]
    return others.every((part) => line.includes(part))
  })
}

test('what the chapter on troubleshooting quotes is what Berth says', (t) => {
  const lines = chapter('troubleshooting.md')
    .text.split('\n')
    .filter((line) => line.startsWith('> '))
  const quoted = lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
  t.true(quoted.length > 15)
  t.deepEqual(
    quoted.filter((text) => !isSaid(text)),
    [],
  )
  t.false(isSaid('The clock is … askew'), 'control')
})
