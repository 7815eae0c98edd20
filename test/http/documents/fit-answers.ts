import { watchAnswers } from '../client.ts'
import { misfits } from './fitting.ts'

/** Imported for its side effect: every later answer to a test client must match the OpenAPI document. */
watchAnswers((method, path, answer) => {
  const faults = misfits(method, path, answer)
  if (faults.length > 0) throw new Error(`${method} ${path} ${answer.status}: ${faults.join('; ')}`)
})
