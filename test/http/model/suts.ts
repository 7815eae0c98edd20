/** The model of SUTs and their listen_port. */

import { verdictOn } from '../../domain/calendar/calendar-model.ts'
import {
  checkedId,
  type Expected,
  isBehind,
  log,
  type Model,
  type Refused,
  record,
  refused,
  type Shown,
  type Sut,
  shown,
  shownSut,
} from './model.ts'

const FIELDS = {
  name: '',
  description: '',
  address: '',
  port: 0,
  sut_type: '',
  is_active: true,
  manufacturer: '',
  model: '',
  os: '',
  version: '',
}

/** The lowest port that was never used, else the one free for longest. */
const nextPort = ({ range, held, freed }: Model['ports']): number | undefined =>
  range
    .filter((port) => !held.has(port))
    .sort((a, b) => freed.lastIndexOf(a) - freed.lastIndexOf(b) || a - b)
    .at(0)

export type Fields = Readonly<Record<string, unknown>>

const HIDDEN = ['password', 'user_name', 'rdp_width', 'turnaround', 'release_unused_after']
const visible = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !HIDDEN.includes(name)))

const inQuarters = (seconds: unknown): number => Math.ceil(Number(seconds) / 900) * 900

export const createSut = (model: Model, fields: Fields): Expected => {
  const { ports, clock } = model
  if (isBehind(model, ports.time)) return refused('clock_behind')
  const listen_port = nextPort(ports)
  if (listen_port === undefined) return refused('listen_ports_exhausted')
  const settle = (id: string): Shown => {
    const time = Math.max(clock, ports.time)
    const values = { ...FIELDS, ...visible(fields) }
    const sut: Sut = {
      _id: checkedId(id, time),
      listen_port,
      created: time,
      updated: time,
      values,
      rdp_width: fields.rdp_width as number | undefined,
      unusedAfter: Number(fields.release_unused_after ?? 0),
      monitoring: { since: time, interval: null },
      tags: new Map(),
      time,
      revision: 0,
      record: 0,
      calendar: {
        bookings: [],
        active: values.is_active,
        retired: false,
        turnaround: inQuarters(fields.turnaround ?? 0),
      },
      stamps: new Map(),
    }
    model.suts.push(sut)
    ports.time = time
    ports.held.set(listen_port, sut)
    log(model, 'ListenPortAssigned', id, time)
    const position = log(model, 'SutCreated', id, time)
    return shownSut(sut, { status: 201, location: `/api/sut/${id}`, position })
  }
  return { settle, isRecorded: true }
}

/** Releases the port, unless the clock is behind: then it is released later. */
export const releasePort = (model: Model, sut: Sut): void => {
  const { ports } = model
  if (ports.held.get(sut.listen_port) !== sut || isBehind(model, ports.time)) return
  ports.time = Math.max(model.clock, ports.time)
  ports.held.delete(sut.listen_port)
  ports.freed.push(sut.listen_port)
  log(model, 'ListenPortReleased', sut._id, ports.time)
}

/** The retired SUTs that still hold their port, by port. */
export const unreleased = ({ ports }: Model): readonly Sut[] =>
  [...ports.held]
    .filter(([, { calendar }]) => calendar.retired)
    .sort(([a], [b]) => a - b)
    .map(([, sut]) => sut)

/** The revisions in If-Match, or `undefined` if any matches. */
export type IfMatch = readonly number[] | undefined

const changed = (model: Model, sut: Sut, type: string): Shown => {
  const position = record(model, sut, type, sut._id)
  sut.updated = sut.time
  sut.record = sut.revision
  return shownSut(sut, { position })
}

const isStale = (sut: Sut, ifMatch: IfMatch): boolean => ifMatch !== undefined && !ifMatch.includes(sut.record)

/** Changes the record of a SUT, unless it has these values already. */
const change = (
  model: Model,
  sut: Sut | undefined,
  ifMatch: IfMatch,
  type: string,
  isOther: (sut: Sut) => boolean,
  apply: (sut: Sut) => void,
): Expected => {
  if (sut === undefined) return refused('sut_not_found')
  if (isBehind(model, sut.time)) return refused('clock_behind')
  if (sut.calendar.retired) return refused('sut_retired')
  if (isStale(sut, ifMatch)) return refused('stale')
  if (!isOther(sut)) return shown(shownSut(sut))
  const settle = (): Shown => {
    apply(sut)
    return changed(model, sut, type)
  }
  return { settle, isRecorded: true }
}

export const updateSut = (model: Model, sut: Sut | undefined, fields: Fields, ifMatch: IfMatch): Expected => {
  const values = visible(fields)
  const isOther = ({ values: before, rdp_width, unusedAfter, calendar }: Sut): boolean =>
    'password' in fields ||
    ('rdp_width' in fields && fields.rdp_width !== rdp_width) ||
    ('release_unused_after' in fields && fields.release_unused_after !== unusedAfter) ||
    ('turnaround' in fields && inQuarters(fields.turnaround) !== calendar.turnaround) ||
    Object.entries(values).some(([name, value]) => before[name] !== value)
  return change(model, sut, ifMatch, 'SutUpdated', isOther, (sut) => {
    Object.assign(sut.values, values)
    if ('rdp_width' in fields) sut.rdp_width = fields.rdp_width as number
    if ('release_unused_after' in fields) sut.unusedAfter = Number(fields.release_unused_after)
    if ('turnaround' in fields) sut.calendar.turnaround = inQuarters(fields.turnaround)
    sut.calendar.active = sut.values.is_active as boolean
  })
}

export type Tags = Readonly<Record<string, string | null>>

export const tagSut = (model: Model, sut: Sut | undefined, tags: Tags, ifMatch: IfMatch): Expected => {
  const isOther = (sut: Sut): boolean =>
    Object.entries(tags).some(([name, value]) => (sut.tags.get(name) ?? null) !== value)
  return change(model, sut, ifMatch, 'SutUpdated', isOther, (sut) => {
    for (const [name, value] of Object.entries(tags)) {
      if (value === null) sut.tags.delete(name)
      else sut.tags.set(name, value)
    }
  })
}

/** Another interval changes the record, but not since when the SUT is probed. */
export const monitorSut = (model: Model, sut: Sut | undefined, interval: number | null, ifMatch: IfMatch): Expected => {
  const type = interval === null ? 'SutMonitoringDisabled' : 'SutMonitoringEnabled'
  const isOther = ({ monitoring }: Sut): boolean => monitoring.interval !== interval
  return change(model, sut, ifMatch, type, isOther, (sut) => {
    const isSwitched = sut.monitoring.interval === null || interval === null
    sut.monitoring = { since: isSwitched ? Math.max(model.clock, sut.time) : sut.monitoring.since, interval }
  })
}

export const retireSut = (model: Model, sut: Sut | undefined, ifMatch: IfMatch): Expected => {
  if (sut === undefined) return refused('sut_not_found')
  if (isBehind(model, sut.time)) return refused('clock_behind')
  const verdict = verdictOn(sut.calendar, { type: 'RetireSut' }, Math.max(model.clock, sut.time))
  if (verdict === 'already so') {
    const settle = (): Shown => {
      releasePort(model, sut)
      return shownSut(sut)
    }
    return { settle, isRecorded: false }
  }
  if (isStale(sut, ifMatch)) return refused('stale')
  if ('code' in verdict) return refused(verdict.code, verdict.help as Refused['help'])
  const settle = (): Shown => {
    verdict.apply()
    if (sut.monitoring.interval !== null) sut.monitoring = { since: Math.max(model.clock, sut.time), interval: null }
    const retired = changed(model, sut, 'SutRetired')
    releasePort(model, sut)
    return retired
  }
  return { settle, isRecorded: true }
}

/** `isKnown` says whether If-None-Match includes the SUT's entity tag. */
export const readSut = (sut: Sut | undefined, isKnown: (record: number) => boolean): Expected => {
  if (sut === undefined) return refused('sut_not_found')
  return shown(isKnown(sut.record) ? { status: 304, text: '', etag: `"${sut.record}"` } : shownSut(sut))
}
