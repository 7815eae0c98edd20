import test from 'ava'
import type { Terminal } from '../../src/command-line/terminal/command.ts'
import { makePrintable, printable } from '../../src/command-line/terminal/command.ts'

test('characters that show nothing or move the cursor become escapes of JSON', (t) => {
  const shown = printable('a\tb\r\nc\rd\u0007\u001b[2J\u007f\u009b\u202e\u{e0041}\ud800\n')
  t.is(shown, 'a\tb\r\nc\\u000dd\\u0007\\u001b[2J\\u007f\\u009b\\u202e\\udb40\\udc41\\ud800\n')
  t.is(printable(shown), shown)
  const value = { text: '\u009b\u{e0041}' }
  t.deepEqual(JSON.parse(printable(JSON.stringify(value))), value)
  t.is(printable('Zoë 花 🦊 -> "x"'), 'Zoë 花 🦊 -> "x"')
})

test('what is sent to a pipe is left as it is, and what is sent to a terminal is not', async (t) => {
  for (const [columns, expected] of [
    [undefined, '\u009b'],
    [80, '\\u009b'],
  ] as const) {
    const sent: string[] = []
    const send = async (text: string): Promise<undefined> => void sent.push(text)
    await makePrintable({ send, columns } as Terminal).send('\u009b')
    t.deepEqual(sent, [expected])
  }
})
