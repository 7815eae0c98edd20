/** A lab with machines and people as a picture shows them. */

import type { Running } from '../../http/harness.ts'

/** When it is made. */
export const BEFORE = '2030-05-08T06:00:00.000Z'
export const NOW = '2030-05-08T09:42:00.000Z'
export const ZONE = 'Europe/Berlin'
export const PASSWORD = 'correct horse'
/** Who looks at the pages. */
export const ME = 'Amina Diallo'

const TESTERS = [
  ...['Jonas Weiß', 'Mei Tanaka', 'Priya Raghavan', 'Łukasz Wójcik', 'Siobhán Ó Briain', 'Nguyễn Thị Lan'],
  ...['ليلى حداد', 'ci-main', 'Oluwaseun Adeyemi-Whitfield'],
]

/** Name, operating system, version, rack, GPU. */
const MACHINES: readonly (readonly [string, string, string, string, string?])[] = [
  ['win11-01', 'Windows 11', '24H2', '1'],
  ['win11-02', 'Windows 11', '24H2', '1'],
  ['win11-03', 'Windows 11', '23H2', '1'],
  ['win11-04', 'Windows 11', '23H2', '1'],
  ['win11-05', 'Windows 11', 'Canary', '1'],
  ['win10-legacy', 'Windows 10', '22H2', '1'],
  ['gpu-a100-1', 'Ubuntu', '24.04', '2', 'a100'],
  ['gpu-a100-2', 'Ubuntu', '24.04', '2', 'a100'],
  ['gpu-l4-1', 'Ubuntu', '22.04', '2', 'l4'],
  ['gpu-l4-2', 'Ubuntu', '22.04', '2', 'l4'],
  ['jetson-orin-1', 'JetPack', '6.1', '3', 'orin'],
  ['jetson-orin-2', 'JetPack', '6.1', '3', 'orin'],
  ['imx8-board-1', 'Yocto', '5.0', '3'],
  ['imx8-board-2', 'Yocto', '5.0', '3'],
  ['hmi-panel-3', 'QNX', '7.1', '3'],
  ['plc-s7-1', 'Firmware', '3.1', '3'],
  ['mac-mini-1', 'macOS', '14.7', '4'],
  ['mac-mini-2', 'macOS', '14.7', '4'],
]

/** Seconds between two reservations, of machines that need time to be set up again. */
const TURNAROUNDS: Readonly<Record<string, number>> = {
  'win11-05': 900,
  'jetson-orin-1': 1_800,
  'jetson-orin-2': 1_800,
}

/** When it is made, whose it is, and from when to when, in hours of the day in UTC. */
const WINDOWS: readonly (readonly [machine: string, who: string, from: number, to: number])[] = [
  ['win11-01', 'Jonas Weiß', 9, 11.5],
  ['win11-01', 'Priya Raghavan', 12.25, 14.25],
  ['win11-02', ME, 8.5, 10.5],
  ['win11-02', 'Łukasz Wójcik', 12.5, 16.5],
  ['win11-03', 'Siobhán Ó Briain', 11.25, 13.25],
  ['win11-05', 'ci-main', 9.5, 10.25],
  ['win11-05', 'ci-main', 10.75, 11.5],
  ['gpu-a100-1', 'ليلى حداد', 7, 13],
  ['gpu-a100-2', 'Nguyễn Thị Lan', 8, 9],
  ['gpu-a100-2', ME, 13, 15],
  ['gpu-l4-1', 'Jonas Weiß', 12, 15],
  ['gpu-l4-2', 'ci-main', 6.5, 7.5],
  ['jetson-orin-1', 'Łukasz Wójcik', 7.5, 10],
  ['jetson-orin-1', 'Mei Tanaka', 10.5, 13],
  ['jetson-orin-2', 'Łukasz Wójcik', 6.5, 9.5],
  ['jetson-orin-2', 'Oluwaseun Adeyemi-Whitfield', 13, 15],
  ['imx8-board-1', 'Siobhán Ó Briain', 7, 17],
  ['hmi-panel-3', 'Mei Tanaka', 10, 12],
  ['mac-mini-1', 'Mei Tanaka', 8, 12],
  ['mac-mini-2', ME, 9.25, 10],
  // In two weeks and in four.
  ['gpu-l4-2', 'Mei Tanaka', 14 * 24 + 9, 14 * 24 + 12],
  ['gpu-l4-2', 'Oluwaseun Adeyemi-Whitfield', 28 * 24 + 10, 28 * 24 + 10.25],
]

/** Who waits, for what, and for how many minutes. */
const WAITING: readonly (readonly [who: string, of: { readonly match: object } | string, minutes: number])[] = [
  ['Priya Raghavan', { match: { tags: { gpu: 'a100' } } }, 240],
  ['Łukasz Wójcik', { match: { os: 'macOS' } }, 60],
  ['Jonas Weiß', 'win11-02', 120],
  [ME, 'hmi-panel-3', 45],
]

const at = (hours: number): string => new Date(Date.parse('2030-05-08T00:00:00Z') + hours * 3_600_000).toISOString()

/** Fills a service whose clock is `service.clock`, which ends at the time of the pictures. */
export const fill = async (service: Running): Promise<void> => {
  const admin = service.as('admin')
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await admin.post(path, body)
    if (status !== 201 && status !== 200) throw new Error(`${path}: ${text}`)
    return String(json._id)
  }
  const people = new Map<string, string>()
  for (const name of TESTERS)
    people.set(name, await make('/api/user/create', { name, role: 'tester', password: PASSWORD }))
  await make('/api/user/create', { name: 'Ines Ferreira', role: 'auditor', password: PASSWORD })
  await make('/api/user/create', { name: 'Kofi Mensah', role: 'tester', scope: 'team=mobile', password: PASSWORD })
  people.set(ME, await make('/api/user/create', { name: ME, role: 'administrator', password: PASSWORD }))
  const machines = new Map<string, string>()
  for (const [name, os, version, rack, gpu] of MACHINES) {
    const sut = {
      ...{ name, os, version, address: '127.0.0.1', port: 9, tags: { rack, ...(gpu !== undefined && { gpu }) } },
      ...{ sut_type: name.startsWith('win') ? 'rdp' : 'vnc', is_active: name !== 'win10-legacy' },
      ...{ turnaround: TURNAROUNDS[name] ?? 0, release_unused_after: name.startsWith('win') ? 900 : 0 },
    }
    machines.set(name, await make('/api/sut/create', sut))
  }
  for (const [machine, who, from, to] of WINDOWS) {
    const window = { start_time: at(from), end_time: at(to), ...(machine === 'mac-mini-2' && { keepalive: 2_400 }) }
    await make('/api/sut_reservation/create', { user_id: people.get(who), sut_id: machines.get(machine), ...window })
  }
  const thursdays = { start_time: at(24 + 7), end_time: at(24 + 9), rrule: 'FREQ=WEEKLY;COUNT=8', time_zone: ZONE }
  const series = { user_id: people.get(ME), sut_id: machines.get('jetson-orin-2'), ...thursdays }
  await make('/api/sut_reservation_series/create', series)
  service.clock.set(NOW)
  for (const [who, of, minutes] of WAITING) {
    const wanted = typeof of === 'string' ? { sut_id: machines.get(of) } : of
    await make('/api/sut_request/create', { user_id: people.get(who), ...wanted, duration: minutes * 60, wait: 14_400 })
  }
}
