import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { openLedger, prepare } from '../crash/ledger.ts'
import { startLoad } from '../crash/load.ts'
import type { Attempt } from '../crash/truth.ts'
import { type Service, serve } from '../harness.ts'
import { makeRandom } from '../random.ts'

export interface FullDiskOptions {
  /** Kibibytes of the disk, and of a file on it that is removed to free space. */
  readonly size: number
  readonly ballast: number
  readonly seed: number
}

const KIBIBYTE = 1024

/** Mounts a small tmpfs. Returns the reason if it cannot. */
const mounted = async (scope: Tidying, path: string, size: number): Promise<string | undefined> => {
  await mkdir(path)
  const options = ['-t', 'tmpfs', '-o', `size=${size}k,mode=700`, 'tmpfs', path]
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' })
  if (status !== 0) return `a tmpfs cannot be mounted: ${error?.message ?? stderr.trim()}`
  scope.teardown(() => {
    spawnSync('umount', ['-l', path])
  })
  return undefined
}

/** The folder of a small disk. Undefined, and logged, where none can be mounted. */
export const aSmallDisk = async (t: ExecutionContext, size: number): Promise<string | undefined> => {
  const disk = join(await temporaryData(t), 'disk')
  const why = await mounted(t, disk, size)
  if (why === undefined) return disk
  t.log(`nothing checked: ${why}`)
  t.pass()
  return undefined
}

const isMade = ({ kind, answer }: Attempt): boolean => kind === 'reserve' && answer?.status === 201

/** Reads and conflict refusals must keep working on a full disk. */
const problemsWhileFull = async (service: Service, attempts: readonly Attempt[]): Promise<readonly string[]> => {
  const problems: string[] = []
  for (const { path, body, answer } of attempts.filter(isMade).slice(-50)) {
    const read = await service.get(`/api/sut_reservation/${answer?.json._id}`)
    if (read.text !== answer?.text) problems.push(`${answer?.json._id} is read as ${read.status} on the full disk`)
    const again = await service.post(path, body)
    if (again.json.code !== 'reservation_conflict') problems.push(`a taken window is answered ${again.text}`)
  }
  const ready = await service.get('/health/ready')
  return ready.status === 200 ? problems : [...problems, 'not ready for reads']
}

/** Fills a disk under load, reads, frees space and writes again. Returns the reason if it cannot. */
export const fillDisk = async (scope: Tidying, options: FullDiskOptions) => {
  const { size, ballast, seed } = options
  const disk = join(await temporaryData(scope), 'disk')
  const why = await mounted(scope, disk, size)
  if (why !== undefined) return why
  const data = join(disk, 'data')
  await writeFile(join(disk, 'ballast'), Buffer.alloc(ballast * KIBIBYTE, 1))
  const ledger = openLedger(data)
  const random = makeRandom(seed)
  let service = await serve(scope, { data })
  const target = await prepare(service)

  const filling = startLoad({ client: service, ...target }, random, 16)
  await filling.answeredWith(503)
  filling.stop()
  await filling.ended
  const problems = [...(await problemsWhileFull(service, filling.attempts))]
  service.signal('SIGKILL')
  await service.exited
  service = await serve(scope, { data })
  problems.push(...(await problemsWhileFull(service, filling.attempts)))
  await rm(join(disk, 'ballast'))
  const resuming = startLoad({ client: service, ...target }, random, 16)
  await resuming.answeredWith(201)
  await resuming.answered(200)
  resuming.stop()
  await resuming.ended

  const attempts = [...filling.attempts, ...resuming.attempts]
  const { code } = await service.stop()
  if (code !== 0) problems.push(`exited with ${code}: ${service.output()}`)
  service = await serve(scope, { data })
  problems.push(...(await ledger.look(service, attempts, { isTrouble: true })))
  await service.stop()
  problems.push(...(await ledger.close()))
  const refused = resuming.attempts.filter(({ answer }) => answer?.status === 503)
  if (refused.length > 0) {
    const [first] = refused.map(({ answer }) => answer?.json.code)
    problems.push(`${refused.length} writes were refused after space was freed, the first as ${first}`)
  }
  return {
    acknowledged: attempts.filter(({ answer }) => answer !== undefined && answer.status < 300).length,
    refusedForRoom: filling.attempts.filter(({ answer }) => answer?.json.code === 'store_full').length,
    problems,
  }
}
