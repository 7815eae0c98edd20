import { watchAnswers } from '../client.ts'
import { misfits } from './fitting.ts'

/** Imported for what it does: from then on every answer that a client of these tests gets has to fit OpenAPI. */
watchAnswers((method, path, answer) => {
  const faults = misfits(method, path, answer)
  if (faults.length > 0) throw new Error(`${method} ${path} ${answer.status}: ${faults.join('; ')}`)
})
