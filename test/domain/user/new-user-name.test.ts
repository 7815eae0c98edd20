import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { NewUserName } from '../../../src/domain/user/names.ts'

test('a new name is decoded unchanged, or refused with one message', (t) => {
  for (const name of ['x', 'Zoë 😀', 'e\u0301', '😀'.repeat(128)]) t.deepEqual(NewUserName.decode(name), E.right(name))
  for (const refused of [
    '',
    'a:b',
    'a ',
    'BERTH_a',
    'аnna',
    'a\u200bb',
    '\ud83d',
    'x'.repeat(129),
    5,
    null,
    undefined,
    ['x'],
  ]) {
    const read = NewUserName.decode(refused)
    t.deepEqual(E.isLeft(read) && read.left.map(({ message }) => message), [
      'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic',
    ])
    t.false(NewUserName.is(refused))
  }
})
