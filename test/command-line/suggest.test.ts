import test from 'ava'
import { didYouMean } from '../../src/command-line/terminal/suggest.ts'

const NAMES = ['serve', 'verify', 'copy', 'vault rotate', 'audit key', 'user add']

const meant: readonly (readonly [string, string, string])[] = [
  ['a missing letter', 'vrify', 'verify'],
  ['an extra letter', 'verrify', 'verify'],
  ['a wrong letter', 'werify', 'verify'],
  ['two swapped letters', 'evrify', 'verify'],
  ['an incomplete word', 'ver', 'verify'],
  ['a missing group', 'rotate', 'vault rotate'],
  ['a mistyped word with a missing group', 'rotaet', 'vault rotate'],
]
for (const [what, typed, name] of meant) {
  test(`a command with ${what} is suggested`, (t) => {
    t.is(didYouMean(typed, NAMES), `; did you mean ${name}?`)
  })
}

test('the closest of several names is suggested', (t) => {
  t.is(didYouMean('cope', ['cape', 'copy', 'cope']), '; did you mean cope?')
  t.is(didYouMean('copx', ['cap', 'copy']), '; did you mean copy?')
})

test('a word unlike any command suggests nothing', (t) => {
  for (const typed of ['', 'x', 'reserve-me', 'turn', 'constructor', 'v'.repeat(100_000)]) {
    t.is(didYouMean(typed, NAMES), '', typed.slice(0, 20))
  }
})
