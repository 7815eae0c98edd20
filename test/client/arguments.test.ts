import test from 'ava'
import { parseCriteria, parseDuration, RESERVE_OPTIONS, readOrder } from '../../src/client/arguments.ts'
import { parseArguments } from '../../src/client/command.ts'

test('durations are seconds, or numbers with units', (t) => {
  const durations = { '90': 90, '0': 0, '45s': 45, '30m': 1800, '2h': 7200, '1h30m': 5400, '7d': 604_800 }
  for (const [text, seconds] of Object.entries(durations)) t.is(parseDuration(text, '--for'), seconds, text)
  for (const text of ['', 'm', '1.5h', '-1m', '30 m', 'PT30M', '1h30']) {
    t.throws(() => parseDuration(text, '--for'), { message: '--for must be like 30m, 2h or 1h30m' }, text)
  }
})

test('criteria become what the service takes, and COMMAND keeps its own options', (t) => {
  const line = [
    '--match',
    'os=windows',
    '--match',
    'tag.rack=3,4',
    '--match',
    'tag.a.b=x\\,y=z',
    '--not',
    'tag.__proto__=1',
  ]
  const args = [...line, '--for', '30m', '--extend', '15m', '--', 'make', '--', '--for', '1']
  const help = { name: '', summary: '', example: '', help: '', options: RESERVE_OPTIONS, tail: 'COMMAND' }
  const parsed = parseArguments(help, args)
  if (typeof parsed === 'string') return t.fail(parsed)
  const order = readOrder(parsed)
  t.deepEqual(JSON.parse(JSON.stringify(order)), {
    match: {
      os: 'windows',
      tags: { rack: ['3', '4'], 'a.b': 'x,y=z' },
      not: { tags: JSON.parse('{"__proto__":"1"}') },
    },
    ...{ duration: 1800, wait: 0, keepalive: 120, extendBy: 900, command: ['make', '--', '--for', '1'] },
  })
})

test('blanks around values do not count, and KEY! is the absence of a field or tag', (t) => {
  const args = ['os= windows , win 11', 'version!', 'tag.gpu!', 'tag.team=\\, ,b ']
  t.deepEqual(parseCriteria(args, '--match'), {
    ...{ os: ['windows', 'win 11'], version: null },
    tags: { gpu: null, team: [',', 'b'] },
  })
})

test('an empty value is refused, with the spelling for a machine that has none', (t) => {
  for (const text of ['os=', 'os=windows,', 'os=,windows', 'os= ', 'os=a,,b']) {
    const message = '--not has an empty value for os; write os! for a machine that has none'
    t.throws(() => parseCriteria([text], '--not'), { message }, text)
  }
  t.throws(() => parseCriteria(['tag.rack='], '--match'), { message: /write tag\.rack! for/ })
  for (const text of ['!', '=windows', 'os'])
    t.throws(() => parseCriteria([text], '--match'), { message: /must be like/ })
  t.throws(() => parseCriteria(['name!'], '--match'), { message: '--match: every machine has a name' })
  t.throws(() => parseCriteria(['os!', 'os=linux'], '--match'), { message: /has os twice/ })
})
