import test from 'ava'
import { type } from '../command-line/terminal.ts'

const wrongUsages: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /a command is missing/],
  [['ad'], /"ad" is not a user command/],
  [['constructor'], /"constructor" is not a user command/],
  [['add'], /expected NAME/],
  [['add', 'carol'], /a --role is required/],
  [['add', 'carol', '--role', 'root'], /the role must be administrator, tester or auditor/],
  [['add', 'carol', '--role'], /'--role <value>' argument missing/],
  [['add', 'carol', 'bob', '--role', 'tester'], /expected NAME/],
  [['add', 'carol', '--role', 'tester', '--pasword-stdin'], /Unknown option '--pasword-stdin'; did you mean/],
  [['list', 'alice'], /expected no arguments/],
  [['show'], /expected NAME/],
  [['role', 'alice'], /expected NAME and ROLE/],
  [['role', 'alice', 'root'], /the role must be administrator, tester or auditor/],
  [['rename', 'alice'], /expected NAME and NEW_NAME/],
  [['remove'], /expected NAME/],
  [['remove', 'alice'], /--reservations must be keep or cancel/],
  [['remove', 'alice', '--reservations', 'all'], /--reservations must be keep or cancel/],
  [['remove', 'alice', '--id', 'x'], /Unknown option '--id'/],
  [['passwd', '--password-stdin'], /expected NAME/],
  [['erase'], /expected NAME/],
]

for (const [line, reason] of wrongUsages) {
  test(`"user ${line.join(' ')}" exits with 2, the reason and the usage`, async (t) => {
    const { code, out, error } = await type(['user', ...line])
    t.deepEqual([code, out], [2, ''])
    t.regex(error, reason)
    t.regex(error, /\nusage: user /)
  })
}

for (const command of ['add', 'list', 'show', 'passwd', 'role', 'rename', 'remove', 'restore', 'erase']) {
  test(`"user ${command} --help" shows the usage and an example, and does nothing`, async (t) => {
    const { code, out, error } = await type(['user', command, '--help'], { BERTH_DATA: '/nowhere' })
    t.deepEqual([code, error], [0, ''])
    t.true(out.startsWith(`berth user ${command}`))
    t.regex(out, new RegExp(`npx berth user ${command}`))
  })
}
