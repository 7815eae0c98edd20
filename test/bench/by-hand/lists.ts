import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import type { Lists, ReservationListQuery } from '../../../src/read-models/lists/lists.ts'
import { FIRST, fill, sutId, userId } from '../../read-models/lists/many-reservations.ts'
import { quantile } from '../measure/processes.ts'

/**
 * The cost of writing rows with list indexes and of reading lists, in this process and without HTTP: reservations made
 * over a year, up to three weeks ahead, half of them by one user.
 */

const { values } = parseArgs({
  options: {
    reservations: { type: 'string', default: '1000000' },
    suts: { type: 'string', default: '500' },
    users: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '20' },
  },
})
const scale = { reservations: Number(values.reservations), suts: Number(values.suts), users: Number(values.users) }
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY
const NOW = FIRST + 366 * DAY
const HALF = Math.floor(scale.reservations / 2)
const many = Array.from({ length: 100 }, (_, n) => sutId(n))
const [sut_id, user_id, pipeline] = [sutId(7), userId(9), userId(0)]

const queries: Readonly<Record<string, Partial<ReservationListQuery>>> = {
  'all, the first 100': {},
  'all, the first 1,000': { limit: 1000 },
  'all, after the middle': { createdBefore: toPublicPosition(HALF) },
  'all, at the offset of the middle': { offset: HALF },
  'of a SUT': { sut_ids: [sut_id] },
  'of a user': { user_id },
  'of the user with half of all': { user_id: pipeline },
  'of a SUT and the user with half of all': { sut_ids: [sut_id], user_id: pipeline },
  'on a day': { endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'in a month': { endsAfter: MIDDLE, startsBefore: MIDDLE + 30 * DAY },
  'in the first half of the year': { startsBefore: MIDDLE },
  'running at a moment': { endsAfter: MIDDLE, startsBefore: MIDDLE + 1, isHeld: true },
  'from now on': { endsAfter: NOW },
  'of a hundred SUTs': { sut_ids: many },
  'of a hundred SUTs on a day': { sut_ids: many, endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'of a hundred SUTs, from now on': { sut_ids: many, endsAfter: NOW },
  'of a SUT on a day': { sut_ids: [sut_id], endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'of the user with half of all, from now on': { user_id: pipeline, endsAfter: NOW },
  'of the user with half of all, until now': { user_id: pipeline, startsBefore: NOW },
}

/** Runs something several times; returns `median (worst) ms`. */
const timed = (run: () => unknown): string => {
  const times = Array.from({ length: Number(values.rounds) }, () => {
    const began = performance.now()
    run()
    return performance.now() - began
  })
  return `${quantile(times, 0.5).toFixed(2)} (${quantile(times, 1).toFixed(2)}) ms`
}

const measure = (lists: Lists): void => {
  for (const [name, query] of Object.entries(queries)) {
    const ask = () => lists.reservations({ limit: 100, offset: 0, ...query })
    say(`${name.padEnd(45)}${timed(ask).padEnd(22)}${ask().count} in all`)
  }
  const week = { start: NOW, end: NOW + 7 * DAY }
  say(`${'windows of a SUT in the next week'.padEnd(45)}${timed(() => lists.held(sut_id, week))}`)
  say(`${'SUTs by a part of their name'.padEnd(45)}${timed(() => lists.suts({ limit: 100, offset: 0, name: 'E 1' }))}`)
}

const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
try {
  const path = join(directory, 'views.db')
  const { file, events, writing } = fill(path, scale)
  say(`${scale.reservations} reservations of ${scale.suts} SUTs by ${scale.users} users`)
  say(
    `written in ${((writing * 1000) / events).toFixed(1)} us a row, ${Math.round(statSync(path).size / events)} bytes a row`,
  )
  measure(file.lists)
  file.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
