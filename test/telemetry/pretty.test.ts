import test from 'ava'
import { makePretty } from '../../src/telemetry/pretty.ts'

const line = (facts: object): string => `${JSON.stringify({ level: 30, time: 0, pid: 7, ...facts })}\n`

test('on a terminal a log line has its time, level, text and fields, on one line', (t) => {
  const shown = makePretty(false)(line({ url: 'http://127.0.0.1:8080', msg: 'listening' }))
  t.regex(shown, /^\[\d\d:00:00\] INFO: listening \{"url":"http:\/\/127\.0\.0\.1:8080"\}\n$/)
})

test('on a terminal an error has its stack', (t) => {
  const err = { name: 'Error', message: 'broken', stack: 'Error: broken\n    at somewhere' }
  t.regex(makePretty(false)(line({ err, msg: 'failed' })), /failed[\s\S]*\n\s+at somewhere/)
})

test('nothing in a log line can control the terminal', (t) => {
  const hostile = '\u001b[2J\u009b2J\u0007\rgone'
  const err = { name: 'Error', message: hostile, stack: `Error: ${hostile}` }
  const shown = makePretty(false)(line({ err, greeting: hostile, msg: hostile }))
  t.notRegex(shown, /[^\P{Cc}\n\t]/u)
  t.true(shown.includes('gone'))
})
