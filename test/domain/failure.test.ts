import test from 'ava'
import { bodyProblem, invalid, type Problem } from '../../src/domain/failure.ts'

const missing = (field: string): Problem => bodyProblem('invalid', field, 'is required')
const unknown = (field: string): Problem => bodyProblem('field_unknown', field, 'is not a field of this request')

test('a failure has the code of its problems, or `invalid` if they differ', (t) => {
  t.is(invalid([unknown('colour')]).code, 'field_unknown')
  t.is(invalid([unknown('colour'), unknown('size')]).code, 'field_unknown')
  t.is(invalid([unknown('colour'), missing('name')]).code, 'invalid')
  t.is(invalid([missing('name')]).code, 'invalid')
})

test('a failure describes every problem in its detail and lists them all', (t) => {
  const whole: Problem = { code: 'invalid', path: [], in: 'body', detail: 'must be a JSON object' }
  const nested: Problem = { code: 'invalid', path: ['tags', 'rack'], in: 'body', detail: 'must be a string' }
  const refused = invalid([whole, nested, missing('name')])
  t.is(refused.detail, 'the request must be a JSON object; tags/rack must be a string; name is required.')
  t.deepEqual(refused.problems, [whole, nested, missing('name')])
})

test('the detail names at most five problems; the list has all', (t) => {
  const problems = Array.from({ length: 7 }, (_, i) => missing(`field_${i}`))
  const refused = invalid(problems)
  t.regex(refused.detail, /^field_0 is required; .*field_4 is required; and 2 more\.$/)
  t.is(refused.problems?.length, 7)
})
