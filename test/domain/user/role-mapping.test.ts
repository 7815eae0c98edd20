import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Role } from '../../../src/domain/events/user.ts'
import { parseRoleMapping, roleOf } from '../../../src/domain/user/role-mapping.ts'
import { rightOf } from '../../users/builders.ts'

const parsed: Readonly<Record<string, Readonly<Record<string, Role>>>> = {
  'qa=tester': { qa: 'tester' },
  ' lab-admins = administrator , qa=tester': { 'lab-admins': 'administrator', qa: 'tester' },
  '/lab/admins=administrator': { '/lab/admins': 'administrator' },
  'a%2Cb%3Dc%25=auditor': { 'a,b=c%': 'auditor' },
  'pr%C3%BCfer=tester,Prüfer=auditor': { prüfer: 'tester', Prüfer: 'auditor' },
  'constructor=tester': { constructor: 'tester' } as unknown as Record<string, Role>,
}
for (const [text, entries] of Object.entries(parsed)) {
  test(`the mapping ${JSON.stringify(text)} is read`, (t) => {
    t.deepEqual([...rightOf(parseRoleMapping(text))], Object.entries(entries))
  })
}

const refused: readonly (readonly [string, RegExp])[] = [
  ['', /like lab-admins=administrator/],
  ['qa', /like lab-admins=administrator/],
  ['=tester', /like lab-admins=administrator/],
  ['qa=tester,', /like lab-admins=administrator/],
  ['qa=tester=auditor', /like lab-admins=administrator/],
  ['50%=tester', /%25, %2C and %3D/],
  ['%ff=tester', /%25, %2C and %3D/],
  ['qa=Tester', /one of administrator, tester, auditor/],
  ['qa=system', /one of administrator, tester, auditor/],
  ['qa=tester,qa=auditor', /each value once/],
  ['q%61=tester,qa=tester', /each value once/],
  [`${'x'.repeat(257)}=tester`, /at most 256 characters/],
  [Array.from({ length: 257 }, (_, n) => `g${n}=tester`).join(), /at most 256 values/],
]
for (const [text, problem] of refused) {
  test(`the mapping ${JSON.stringify(text.slice(0, 40))} is refused`, (t) => {
    const read = parseRoleMapping(text)
    t.regex(E.isLeft(read) ? read.left : 'accepted', problem)
  })
}

test('administrator comes before tester before auditor, whatever the order of the values', (t) => {
  const mapping = rightOf(parseRoleMapping('a=administrator,t=tester,u=auditor'))
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 't', 'u', 'A', 'nothing', '')), (values) => {
      const [given, role] = [new Set<string>(values), roleOf(mapping, values)]
      if (given.has('a')) return role === 'administrator'
      if (given.has('t')) return role === 'tester'
      return role === (given.has('u') ? 'auditor' : undefined)
    }),
  )
  t.pass()
})

test('any values can be mapped, percent-encoded', (t) => {
  const value = fc.string({ minLength: 1, maxLength: 256 }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(fc.uniqueArray(value, { minLength: 1 }), (values) => {
      const text = values.map((each) => `${encodeURIComponent(each)}=auditor`).join()
      return [...rightOf(parseRoleMapping(text)).keys()].join('\n') === values.join('\n')
    }),
  )
  t.pass()
})
