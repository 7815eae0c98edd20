/** The patterns of the documents, which clients' validators run on other engines. */

import { spawnSync } from 'node:child_process'
import test from 'ava'
import fc from 'fast-check'
import { toPortablePattern } from '../../../src/domain/codec/json-schema.ts'
import { classExcluding, INVISIBLE, single } from '../../../src/domain/values/characters.ts'
import { isOpaqueId } from '../../../src/domain/values/ids.ts'
import { asyncApi } from '../../../src/http/documents/asyncapi.ts'
import { schemaDocuments } from '../../../src/http/documents/event-schemas/event-schemas.ts'
import { openApi } from '../../../src/http/documents/openapi/openapi.ts'
import { anyCharacter } from '../../characters.ts'
import { catalogue } from '../routes/catalogue.ts'
import { ADDRESSES, DATE_TIMES } from './near-misses.ts'

const patternsIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'examples') return []
    return name === 'pattern' && typeof member === 'string' ? [member] : patternsIn(member)
  })
}

const documents = [openApi(catalogue, '1', []), asyncApi('1'), ...schemaDocuments.map(({ schema }) => schema())]
const patterns = [...new Set(documents.flatMap(patternsIn))]

test('no pattern of the documents has an escape with another meaning in other dialects', (t) => {
  t.true(patterns.length > 15)
  // Only special characters are escaped.
  t.deepEqual(
    patterns.filter((pattern) => /\\[A-Za-z0-9]/.test(pattern)),
    [],
  )
  for (const pattern of ['\\w+', '\\p{L}', '\\u0041', '\\x41', '\\s'])
    t.throws(() => toPortablePattern(pattern), undefined, pattern)
})

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...'0aAzZ9٣४à\u00a0\u00ad\u2028\u200b\ue000\ufffe\u{10ffff}\u{1f5a5}/:-._~\t\u007f\u0085'),
    maxLength: 4,
  }),
  fc.constantFrom(...ADDRESSES, ...DATE_TIMES, '0'.repeat(20), '"4"', '/problems/a', 'tag.a', '٢٠٣٠-05-02T06:00:00Z'),
)
/** In some dialects `$` also matches before a final line break, so such texts are left out. */
const texts = [...new Set(fc.sample(text, { numRuns: 3_000, seed: 24 }))].filter(
  (one) => one.isWellFormed() && !one.endsWith('\n'),
)

const IN_PYTHON = `
import json, re, sys
asked = json.load(sys.stdin)
json.dump([[bool(re.search(p, t)) for t in asked["texts"]] for p in asked["patterns"]], sys.stdout)
`

test('thorough: Python matches every pattern of the documents like the service', (t) => {
  const input = JSON.stringify({ patterns, texts })
  const python = spawnSync('python3', ['-c', IN_PYTHON], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (python.error !== undefined) {
    t.log('NOT RUN: python3 is not installed')
    t.pass()
    return
  }
  t.is(python.status, 0, python.stderr)
  const found = JSON.parse(python.stdout) as readonly (readonly boolean[])[]
  let taken = 0
  patterns.forEach((pattern, i) => {
    const own = new RegExp(pattern, 'u')
    const otherwise = texts.filter((one, n) => own.test(one) !== found[i]?.[n])
    taken += texts.filter((one) => own.test(one)).length
    t.deepEqual(otherwise, [], pattern)
  })
  t.true(taken > 1_000)
})

test('ids consist of visible characters, as far as this Unicode version knows them', (t) => {
  const shows = /^[^/\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]$/u
  const wrong: number[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (/\p{Cn}/u.test(character) && !/\p{Noncharacter_Code_Point}/u.test(character)) continue
    if (isOpaqueId(character) !== shows.test(character)) wrong.push(code)
  }
  t.deepEqual(wrong, [])
})

test('a negated character class excludes its characters and lone surrogates', (t) => {
  const own = new RegExp(`^[${classExcluding([...INVISIBLE, single(']'), single('-'), single('^')])}]$`, 'u')
  for (const taken of ['a', '\\', '[', '_', ' ', 'ä', '\u{1f5a5}']) t.regex(taken, own)
  for (const refused of [']', '-', '^', '\ud800', '\udfff', '\u0000', '\ue000', '\u{10ffff}']) t.notRegex(refused, own)
})
