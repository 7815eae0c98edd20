import test from 'ava'
import { claimValuesOf, hasName, personOf } from '../../../src/users/oidc/claims.ts'

const WHO = { iss: 'https://login.lab.example', sub: '4711' }

const claims: readonly (readonly [string, object, string, readonly string[] | undefined])[] = [
  ['a list', { groups: ['qa', 'lab'] }, 'groups', ['qa', 'lab']],
  ['one text', { role: 'qa' }, 'role', ['qa']],
  ['an empty list', { groups: [] }, 'groups', []],
  ['a list with other values', { groups: ['qa', 7, null, ['lab'], { name: 'x' }] }, 'groups', ['qa']],
  ['a claim inside others', { realm_access: { roles: ['qa'] } }, 'realm_access.roles', ['qa']],
  ['a name with dots', { 'https://lab.example/roles': ['qa'] }, 'https://lab.example/roles', ['qa']],
  ['a name with dots before a path', { 'a.b': 'one', a: { b: 'other' } }, 'a.b', ['one']],
  ['no such claim', { groups: ['qa'] }, 'roles', undefined],
  ['a null', { groups: null }, 'groups', undefined],
  ['a path through a text', { a: 'text' }, 'a.length', undefined],
  ['a member of every object', {}, 'constructor.name', undefined],
  ['a number', { groups: 7 }, 'groups', []],
]
for (const [what, given, claim, values] of claims) {
  test(`the values of ${what} are ${JSON.stringify(values)}`, (t) => {
    t.deepEqual(claimValuesOf({ ...WHO, ...given }, claim), values)
  })
}

const names: readonly (readonly [object, string])[] = [
  [{ preferred_username: 'anna', email: 'a@lab.example' }, 'anna'],
  [{ email: 'a@lab.example', name: 'Anna' }, 'a@lab.example'],
  [{ name: 'Anna' }, '4711'],
  [{ preferred_username: 7, email: ['x'] }, '4711'],
  [{ preferred_username: '', email: ' ' }, '4711'],
  [{ preferred_username: 'lab:anna' }, 'lab-anna'],
  [{ preferred_username: 'berth_anna' }, 'user-berth_anna'],
  [{ preferred_username: 'аdmin', email: 'a@lab.example' }, '4711'],
  [{ preferred_username: 'Анна', email: 'a@lab.example' }, 'Анна'],
]
for (const [given, name] of names) {
  test(`${JSON.stringify(given)} makes the name ${name}`, (t) => {
    t.is(personOf({ ...WHO, ...given }, 'groups')?.name, name)
  })
}

test('somebody without any usable name is called user', (t) => {
  t.is(personOf({ ...WHO, sub: ' ' }, 'groups')?.name, 'user')
  t.is(personOf({ ...WHO, sub: 'аdmin' }, 'groups')?.name, 'user')
})

test('a name that people know is one of two claims', (t) => {
  t.true(hasName({ email: 'a@lab.example' }))
  t.true(hasName({ preferred_username: 'anna' }))
  t.false(hasName({ sub: '4711' }))
})

test('the same subject of another issuer is somebody else', (t) => {
  const identityOf = (more: object) => personOf({ ...WHO, ...more }, 'groups')?.identity
  t.is(identityOf({}), '["https://login.lab.example","4711"]')
  t.not(identityOf({ iss: 'https://lab.example' }), identityOf({}))
  t.not(identityOf({ sub: '4712' }), identityOf({}))
})

test('nobody is known without an issuer and a subject', (t) => {
  for (const more of [{ iss: 7 }, { iss: undefined }, { sub: 7 }, { sub: '' }, { sub: 'x'.repeat(256) }])
    t.is(personOf({ ...WHO, ...more }, 'groups'), undefined)
})
