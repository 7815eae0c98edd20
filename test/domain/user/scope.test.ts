import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { schemaOf } from '../../../src/domain/codec/json-schema.ts'
import { eventDeclarations } from '../../../src/domain/event.ts'
import { tagText } from '../../../src/domain/events/sut.ts'
import { SCOPE_MAX } from '../../../src/domain/events/user.ts'
import { fits, formatScope, parseScope, type Scope, scopeCodec } from '../../../src/domain/user/scope.ts'
import { anyCharacter } from '../../characters.ts'
import { makeAjv } from '../../http/documents/fitting.ts'

const parsed: readonly (readonly [string, Scope, string?])[] = [
  ['', {}],
  ['team=qa1', { team: 'qa1' }],
  ['team=qa1,rack=4', { team: 'qa1', rack: '4' }, 'rack=4,team=qa1'],
  [' team = qa1 ,  rack = 4 ', { team: 'qa1', rack: '4' }, 'rack=4,team=qa1'],
  ['10=a,9=b,A=c,a=d', { '10': 'a', '9': 'b', A: 'c', a: 'd' }],
  ['team=', { team: '' }],
  ['constructor=x,toString=y', { constructor: 'x', toString: 'y' } as unknown as Scope],
  ['load=50%25,list=a%2Cb,sum=1%3d2', { load: '50%', list: 'a,b', sum: '1=2' }, 'list=a%2Cb,load=50%25,sum=1%3D2'],
  ['place=r%C3%A4umchen', { place: 'räumchen' }, 'place=räumchen'],
  ['place=a b', { place: 'a b' }],
  ['place=%20', { place: ' ' }],
  ['place=%20a+b%20', { place: ' a+b ' }],
  ['place=%E3%80%80x', { place: '\u3000x' }],
  ['place=\u3000x', { place: 'x' }, 'place=x'],
]
for (const [text, scope, canonical = text] of parsed) {
  test(`the scope ${JSON.stringify(text)} is ${JSON.stringify(scope)}`, (t) => {
    t.deepEqual(parseScope(text), E.right(scope))
    t.is(formatScope(scope), canonical)
    t.deepEqual(scopeCodec.decode(text), E.right(canonical))
  })
}

const NAMES = 'must have tag names of 1 to 64 of A-Z a-z 0-9 . _ -'
const SYNTAX = 'must be like site=berlin or site=berlin,rack=4, with %25, %2C and %3D for "%", "," and "=" in values'
const VALUES = 'must have tag values of at most 256 characters, without control characters or lone surrogates'
const refused: readonly (readonly [string, string])[] = [
  [' ', SYNTAX],
  ['team', SYNTAX],
  ['team=a=b', SYNTAX],
  ['team=a,', SYNTAX],
  [',team=a', SYNTAX],
  ['team=a,,rack=4', SYNTAX],
  ['load=50%', SYNTAX],
  ['load=%zz', SYNTAX],
  ['place=%ff', SYNTAX],
  ['place=%ed%a0%80', SYNTAX],
  ['=a', NAMES],
  ['te%61m=a', NAMES],
  ['_a=b', NAMES],
  ['räck=4', NAMES],
  ['__proto__=a', NAMES],
  [`${'x'.repeat(65)}=a`, NAMES],
  [`team=${'x'.repeat(257)}`, VALUES],
  ['team=a%00b', VALUES],
  ['team=a\nb', VALUES],
  ['team=\ud83d', VALUES],
  ['team=a,team=a', 'must have each name once'],
  ['a=1,b=2, a =3', 'must have each name once'],
  [Array.from({ length: 17 }, (_, n) => `t${n}=`).join(), 'must be at most 16 tags'],
  [`team=${' '.repeat(SCOPE_MAX)}`, 'must be at most 13535 characters'],
]
for (const [text, problem] of refused) {
  test(`the scope ${JSON.stringify(text.slice(0, 30))} (${text.length}) is refused: it ${problem.slice(0, 60)}`, (t) => {
    t.deepEqual(parseScope(text), E.left(problem))
    const read = scopeCodec.decode(text)
    t.deepEqual(E.isLeft(read) && read.left.map(({ message }) => message), [problem])
  })
}

test('what is not text is no scope', (t) => {
  for (const other of [null, undefined, 5, {}, ['team=a']]) {
    t.true(E.isLeft(scopeCodec.decode(other)))
  }
})

test('the longest scope is one that an event can have', (t) => {
  const value = `\u3000${'%'.repeat(254)}\u3000`
  const longest = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`${n + 10}`.padEnd(64, 'x'), value]))
  const text = formatScope(longest)
  t.is(text.length, SCOPE_MAX)
  t.deepEqual(parseScope(text), E.right(longest))
  t.true(E.isRight(eventDeclarations.UserChanged.data.decode({ _id: 'a', scope: text })))
  t.true(E.isLeft(eventDeclarations.UserChanged.data.decode({ _id: 'a', scope: `${text}x` })))
})

const tagValue = fc
  .oneof(
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'%,= +\u00a0\u2028\ufeff2C5a'), maxLength: 6 }),
  )
  .filter((value) => tagText.is(value))
const tagName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  fc.constantFrom('constructor', 'toString', '10', '9', 'a', 'A'),
)
const scopes: fc.Arbitrary<Scope> = fc.dictionary(tagName, tagValue, { maxKeys: 16, noNullPrototype: true })

test('property: a scope is parsed from its text, which is canonical', (t) => {
  const takes = makeAjv().compile(schemaOf(scopeCodec))
  fc.assert(
    fc.property(scopes, (scope) => {
      const text = formatScope(scope)
      t.deepEqual(parseScope(text), E.right(scope))
      t.is(formatScope(Object.fromEntries(Object.entries(scope).toReversed())), text)
      t.deepEqual(scopeCodec.decode(text), E.right(text))
      t.true(takes(text), text)
      t.true(E.isRight(eventDeclarations.UserChanged.data.decode({ _id: 'a', scope: text })))
    }),
    { numRuns: 500 },
  )
})

test('property: whatever text is accepted as a scope has one canonical form, and the schema accepts it', (t) => {
  const takes = makeAjv().compile(schemaOf(scopeCodec))
  const texts = fc.string({ unit: fc.constantFrom(...'ab=,% 25C\u00a0\n', '%2C', '%20', 'a=b', 'b='), maxLength: 12 })
  let accepted = 0
  fc.assert(
    fc.property(texts, (text) => {
      const read = scopeCodec.decode(text)
      if (E.isLeft(read)) return
      accepted++
      t.true(takes(text), text)
      t.deepEqual(parseScope(read.right), parseScope(text))
      t.deepEqual(scopeCodec.decode(read.right), E.right(read.right))
    }),
    { numRuns: 2_000 },
  )
  t.true(accepted > 100)
})

test('a SUT fits a scope whose every tag it has with the same value', (t) => {
  t.true(fits({}, {}))
  t.true(fits({ team: 'qa1', rack: '4' }, { team: 'qa1' }))
  t.false(fits({ team: 'qa1' }, { team: 'qa1', rack: '4' }))
  t.false(fits({ team: 'QA1' }, { team: 'qa1' }))
  t.false(fits({}, { constructor: 'x' } as unknown as Scope))
  t.false(fits({}, { team: '' }))
})
