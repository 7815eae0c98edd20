import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { temporaryData } from '../http/harness.ts'
import { ROOT, run } from '../process/harness.ts'
import { type } from './terminal.ts'

/** Commands, with their operands in capitals. */
const BY_HAND = [
  ...['serve', 'backup DIR', 'copy', 'replay', 'verify', 'checkpoint', 'audit key'],
  ...[
    'vault rotate',
    'vault status',
    'vault forget KEY',
    'client ADDRESS',
    'history NAME',
    'export',
    'report usage',
    'report demand',
  ],
  ...['connect RESERVATION', 'reserve', 'release RESERVATION', 'list', 'sut import FILE', 'user import FILE'],
]
/** Those that are derived from routes. */
const DERIVED = [
  ...['sut add NAME', 'sut list', 'sut show SUT', 'sut update SUT', 'sut tags SUT', 'sut retire SUT'],
  ...['sut monitoring SUT', 'sut check SUT', 'sut availability SUT', 'sut outages SUT'],
  ...['availability list', 'outages list', 'events list', 'audit inclusion', 'audit consistency'],
  ...['reservation add', 'reservation list', 'session list', 'clock confirm'],
  ...['show', 'cancel', 'extend', 'shorten', 'update', 'keepalive', 'connection', 'console'].map(
    (verb) => `reservation ${verb} RESERVATION`,
  ),
  ...['series add', 'series list', 'series show SERIES', 'series cancel SERIES'],
  ...['request add', 'request list', 'request show REQUEST', 'request keepalive REQUEST', 'request withdraw REQUEST'],
  ...['user add NAME', 'user list', 'user show USER', 'user update USER', 'user passwd USER', 'user logout USER'],
  ...['user remove USER', 'user restore USER', 'user erase USER'],
  ...['webhook add', 'webhook list'],
  ...['show', 'update', 'secret', 'enable', 'replay', 'test', 'remove', 'deliveries'].map(
    (verb) => `webhook ${verb} WEBHOOK`,
  ),
  ...['token issue USER', 'token list USER', 'token revoke USER TOKEN'],
]
const nameOf = (usage: string): string => usage.replace(/ [A-Z].*/, '')
const COMMANDS = [...BY_HAND, ...DERIVED].map(nameOf)
/** Those of the client, which has exit codes of its own. */
const OF_CLIENT = ['reserve', 'release', 'list', 'connect']
/** A configuration that every other command refuses. */
const WRONG = { BERTH_PORT: 'CaNaRy', BERTH_NONSENSE: 'CaNaRy' }

test('help shows every command with an example, and the exit codes, even with a wrong configuration', async (t) => {
  for (const line of [['help'], ['--help'], ['-h']]) {
    const { code, out, error } = await type(line, WRONG)
    t.deepEqual([code, error], [0, ''])
    for (const name of BY_HAND.map(nameOf)) t.regex(out, new RegExp(`^  ${name} .*\n +${name}`, 'm'))
    for (const name of DERIVED.map(nameOf)) t.regex(out, new RegExp(`^    ${name} +\\S`, 'm'))
    t.regex(out, /Exit codes: 0 done; 1 .*; 2 /)
  }
})

test('these tests cover every command', async (t) => {
  const { out } = await type(['help'])
  const listed = [...out.matchAll(/^ {2,4}([a-z]+(?: [a-z]+)?) {2,}\S/gm)].map(([, name]) => name)
  t.deepEqual(listed.toSorted(), COMMANDS.toSorted())
})

for (const usage of [...BY_HAND, ...DERIVED]) {
  test(`"${nameOf(usage)} --help" shows usage, an example and the exit codes, and does nothing else`, async (t) => {
    const words = nameOf(usage).split(' ')
    for (const line of [
      [...words, '--help'],
      [...words, '-h'],
      ['help', ...words],
    ]) {
      const { code, out, error } = await type(line, WRONG)
      t.deepEqual([code, error], [0, ''])
      t.true(out.replace(/^npx /, '').startsWith(`berth ${usage}`), out)
      t.regex(out, new RegExp(`\n  .*npx berth ${nameOf(usage)}`))
      t.regex(out, /\nExit codes: /)
      t.true(out.split('\n').every(({ length }) => length <= 120))
    }
  })
}

test('--version and -V print the version of package.json, even with a wrong configuration', async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const option of ['--version', '-V']) {
    t.deepEqual(await type([option], WRONG), { code: 0, out: `berth ${version}\n`, error: '' })
  }
})

test('the help of a group shows its commands', async (t) => {
  const vault = await type(['vault', '--help'])
  t.is(vault.code, 0)
  for (const name of ['vault rotate', 'vault status']) t.true(vault.out.includes(`usage: ${name} [--json]`))
  t.is((await type(['user', '--help'])).code, 0)
})

const misuses: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /a command is missing\n(.|\n)*vault rotate/],
  [['serv'], /there is no command "serv"; did you mean serve\?\ntry: /],
  [['vrify'], /there is no command "vrify"; did you mean verify\?\n/],
  [['rotate'], /there is no command "rotate"; did you mean vault rotate\?\n/],
  [['passwd'], /there is no command "passwd"; did you mean user passwd\?\n/],
  [['quux'], /there is no command "quux"\ntry: /],
  [['constructor'], /there is no command "constructor"/],
  [['help', 'serv'], /there is no command "serv"/],
  [['vault'], /a command is missing\nusage: vault rotate/],
  [['vault', 'turn'], /there is no command "vault turn"\nusage: /],
  [['vault', 'rotat'], /there is no command "vault rotat"; did you mean vault rotate\?\nusage: /],
  [['user', 'lst'], /there is no command "user lst"; did you mean user list\?\nusage: /],
  [['user', 'list', '--jason'], /Unknown option '--jason'; did you mean --json\?\nusage: /],
  [['help', 'vualt', 'rotate'], /there is no command "vualt"; did you mean vault\?/],
  [['backup'], /expected DIR\nusage: backup DIR \[--keep VALUE\] \[--json\]/],
  [['backup', 'a', 'b'], /expected DIR/],
  [['replay', 'all'], /expected no arguments\nusage: replay/],
  [['replay', '--jsn'], /Unknown option '--jsn'; did you mean --json\?\nusage: /],
  [['report', 'usage', '--csv', '--json'], /--csv takes no --json\nusage: /],
  [['replay', '-j'], /Unknown option '-j'\nusage: /],
  [['replay', '--jsno=CaNaRy'], /Unknown option '--jsno'; did you mean --json\?/],
  [['backup', 'a', '--json=CaNaRy'], /'--json' does not take an argument/],
  [['vault', 'status', '--', 'CaNaRy'], /expected no arguments/],
]
for (const [line, reason] of misuses) {
  test(`"${line.join(' ')}" exits with 2 and the reason, without values`, async (t) => {
    const { code, out, error } = await type(line)
    t.deepEqual([code, out], [2, ''])
    t.regex(error, reason)
    t.regex(error, /^berth: /)
    t.false(error.includes('CaNaRy'))
  })
}

test('a wrong configuration exits with 2 and lists every problem before the command does anything', async (t) => {
  for (const usage of [...BY_HAND, ...DERIVED].filter((each) => !OF_CLIENT.includes(nameOf(each)))) {
    const { code, out, error } = await type(usage.split(' '), WRONG)
    t.deepEqual([code, out], [2, ''], usage)
    t.regex(error, /^berth: BERTH_PORT .*\nberth: BERTH_NONSENSE .*\n$/)
    t.false(error.includes('CaNaRy'))
  }
})

test('errors that can be expected are reported in a sentence, never with a stack trace', async (t) => {
  const data = await temporaryData(t)
  const noLog = join(await temporaryData(t), 'notes.txt')
  writeFileSync(noLog, 'The rack in room 4 is full.\n')
  for (const [args, env, expected] of [
    [['replay'], {}, [1, /events\.db does not exist; start the service once/]],
    [['backup', join(data, 'b')], {}, [1, /events\.db does not exist/]],
    [['vault', 'status'], {}, [1, /events\.db does not exist/]],
    [['vault', 'rotate'], {}, [1, /events\.db does not exist/]],
    [['replay'], { BERTH_EVENT_STORE: `sqlite:${noLog}` }, [1, /notes\.txt cannot be used as a log/]],
    [['replay'], { BERTH_EVENT_STORE: `sqlite:${data}` }, [1, /cannot be used as a log/]],
  ] as const) {
    const { code, output, errors } = await run({ data, args, env })
    t.is(code, expected[0], args.join(' '))
    t.is(output, '')
    t.regex(errors, expected[1])
    t.regex(errors, /^berth: /)
    t.false(/\n\s+at /.test(errors), errors)
  }
})

test('the main program has fewer than 100 lines', (t) => {
  t.true(readFileSync(join(ROOT, 'src/main.ts'), 'utf8').split('\n').length < 100)
})
