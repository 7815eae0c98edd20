import test from 'ava'
import { respondToChallenge } from '../../../src/gateway/rfb/challenge.ts'

/** The key with which VNC servers obfuscate password files. */
const FILE_KEY = String.fromCharCode(23, 82, 107, 6, 35, 78, 88, 7)

test('challenges are answered as VNC servers expect, shown with known password files', (t) => {
  const obfuscated = (password: string): string =>
    Buffer.from(respondToChallenge(FILE_KEY, Buffer.from(password.padEnd(8, '\0')))).toString('hex')
  t.is(obfuscated('password'), 'dbd83cfd727a1458')
  t.not(obfuscated('passwords'.slice(1)), 'dbd83cfd727a1458', 'control')
})

test('only the first 8 bytes of the password in UTF-8 count, padded with zeros', (t) => {
  const challenge = Buffer.from('0123456789abcdef')
  const hex = (password: string): string => Buffer.from(respondToChallenge(password, challenge)).toString('hex')
  t.is(hex('12345678'), hex('123456789'))
  t.is(hex('1234'), hex('1234\0\0\0\0'))
  t.not(hex('1234567'), hex('12345678'))
  t.is(hex('äöüß'), hex('äöüßx'), 'four characters, eight bytes')
  t.is(hex('').length, 32)
})
