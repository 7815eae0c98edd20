import test from 'ava'
import fc from 'fast-check'
import { requestHeaders } from '../../../src/http/codecs/headers.ts'
import { leftOf, rightOf } from '../../users/builders.ts'

const { codec } = requestHeaders.retryKey

test('a key of 1 to 255 visible ASCII characters is accepted, quoted or not', (t) => {
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 255,
  })
  fc.assert(
    fc.property(visible, (key) => {
      fc.pre(!key.startsWith('"'))
      const quoted = `"${key.replace(/[\\"]/g, '\\$&')}"`
      return rightOf(codec.decode(key)) === key && rightOf(codec.decode(quoted)) === key
    }),
  )
  t.is(rightOf(codec.decode(`"${'x'.repeat(255)}"`)), 'x'.repeat(255))
})

const badKeys = [
  '',
  '""',
  '"',
  '"a',
  'a b',
  '"a b"',
  'a\tb',
  'é',
  '\u007f',
  'x'.repeat(256),
  `"${'x'.repeat(256)}"`,
  '"a";b=1',
  '"a\\b"',
  '"a", "b"',
  '"a"b"',
]
for (const header of badKeys) {
  test(`the key ${JSON.stringify(header).slice(0, 30)} is refused`, (t) => {
    const [error] = leftOf(codec.decode(header))
    t.is(error?.message, 'must be 1 to 255 visible ASCII characters, quoted or not')
  })
}
