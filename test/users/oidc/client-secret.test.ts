import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { problemsOfConfig } from '../../../src/app/config/checks.ts'
import { readConfig } from '../../../src/app/config/config.ts'
import { readClientSecret } from '../../../src/users/oidc/client-secret.ts'
import { temporaryData } from '../../http/harness.ts'
import { leftOf, rightOf } from '../builders.ts'

const SECRETS: readonly (readonly [string, string])[] = [
  ['a secret', 'a secret'],
  ['a secret\n', 'a secret'],
  ['a secret\r\n', 'a secret'],
  ['x'.repeat(4_096), 'x'.repeat(4_096)],
]
const REFUSED: readonly string[] = ['', '\n', 'CaNaRy\nCaNaRy', 'CaNaRy\u0000', 'CaNaRy'.repeat(700)]

test('the client secret is the one line of its file', async (t) => {
  const file = join(await temporaryData(t), 'client.secret')
  for (const [text, secret] of SECRETS) {
    await writeFile(file, text)
    t.is(rightOf(await readClientSecret(file)), secret)
  }
  for (const text of REFUSED) {
    await writeFile(file, text)
    const problem = leftOf(await readClientSecret(file))
    t.regex(problem, /must be one line of at most 4096 bytes/)
    t.false(problem.includes('CaNaRy'))
  }
})

test('a start is refused without the client secret, and the problem names the variable and the file', async (t) => {
  const data = await temporaryData(t)
  const file = join(data, 'client.secret')
  const config = rightOf(
    readConfig({
      BERTH_DATA: data,
      BERTH_PORT: '0',
      BERTH_OIDC_ISSUER: 'https://login.lab.example',
      BERTH_OIDC_CLIENT_ID: 'berth',
      BERTH_OIDC_CLIENT_SECRET_FILE: file,
      BERTH_OIDC_ROLES: 'qa=tester',
      BERTH_PUBLIC_URL: 'https://berth.lab.example',
    }),
  )
  const [problem, ...others] = await problemsOfConfig(config)
  t.deepEqual(others, [])
  t.regex(problem ?? '', /^BERTH_OIDC_CLIENT_SECRET_FILE: the client secret cannot be read from .*client\.secret/)
  await writeFile(file, 'a secret')
  t.deepEqual(await problemsOfConfig(config), [])
})
