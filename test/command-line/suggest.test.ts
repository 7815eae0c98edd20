import test from 'ava'
import { didYouMean } from '../../src/command-line/terminal/suggest.ts'

const NAMES = ['serve', 'verify', 'copy', 'vault rotate', 'audit key', 'user add']

const meant: readonly (readonly [string, string, string])[] = [
  ['a letter left out', 'vrify', 'verify'],
  ['a letter added', 'verrify', 'verify'],
  ['a letter replaced', 'werify', 'verify'],
  ['two letters swapped', 'evrify', 'verify'],
  ['a word that was broken off', 'ver', 'verify'],
  ['a group that was left out', 'rotate', 'vault rotate'],
  ['a mistyped word whose group was left out', 'rotaet', 'vault rotate'],
]
for (const [what, typed, name] of meant) {
  test(`${what} suggests the command`, (t) => {
    t.is(didYouMean(typed, NAMES), `; did you mean ${name}?`)
  })
}

test('the nearest of several names is suggested', (t) => {
  t.is(didYouMean('cope', ['cape', 'copy', 'cope']), '; did you mean cope?')
  t.is(didYouMean('copx', ['cap', 'copy']), '; did you mean copy?')
})

test('a word that is near to no command suggests nothing', (t) => {
  for (const typed of ['', 'x', 'reserve-me', 'turn', 'constructor', 'v'.repeat(100_000)]) {
    t.is(didYouMean(typed, NAMES), '', typed.slice(0, 20))
  }
})
