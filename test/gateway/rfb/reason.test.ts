import test from 'ava'
import { quotableReason } from '../../../src/gateway/rfb/sut-side.ts'

const quoted = (text: string): string | undefined => quotableReason(Buffer.from(text))

test('up to 100 printable characters of a reason are quoted', (t) => {
  t.is(quoted('Too many security failures'), 'Too many security failures')
  t.is(quoted(' a\nb\x1b[31m\u202ec\0 '), 'a b [31m c')
  t.is(quoted('Schlüssel "falsch"'), "Schlüssel 'falsch'")
  t.is(quoted('x'.repeat(101)), 'x'.repeat(100))
  t.is(quotableReason(Buffer.from([0x66, 0xff, 0x67])), 'f g', 'what is no text')
  for (const nothing of ['', ' \n', '\0\0']) t.is(quoted(nothing), undefined)
})

test('addresses in a reason are masked', (t) => {
  t.is(quoted('Connection from 192.168.7.12::51234 rejected'), 'Connection from (address)::51234 rejected')
  for (const address of ['10.0.0.1', '2001:db8::1', '::1', 'fe80::1%eth0', '::ffff:192.0.2.7', '1:2:3:4:5:6:7:8']) {
    t.is(quoted(`too many from ${address}, later`), 'too many from (address), later', address)
  }
  t.is(quoted('Error: no'), 'Error: no')
  t.is(quoted(`${'x'.repeat(95)} 192.0.2.77`), `${'x'.repeat(95)} (add`, 'before the text is cut')
})
