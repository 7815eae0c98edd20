import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '../../src/service.ts'
import { withScope } from '../process/scope.ts'
import type { Answer } from './client.ts'
import { type Running, start, type Tidying, temporaryData } from './harness.ts'
import { timesOf } from './log-rows.ts'
import { type Expected, type Model, newModel, type Shown, textOfSut } from './model.ts'
import { type Request, requestOf } from './model-requests.ts'
import { standingReservations } from './model-reservations.ts'
import type { Step } from './model-steps.ts'
import { releasePort, unreleased } from './model-suts.ts'
import { DOCUMENTED, faultsOf } from './problems.ts'
import { NOW } from './requests.ts'
import { until } from './until.ts'

/** Who plays against the model: the service, or one that a test has broken. */
export interface Subject {
  /** The log of the service, unless it is the embedded one as it is. */
  readonly storeIn?: (data: string) => NonNullable<World['openStore']>
  /** The clock of the service, given the clock of the story in Unix milliseconds. */
  readonly clock?: (time: number) => number
  /** What the model is broken to. */
  readonly changed?: (model: Model) => void
}

const PORTS = [4000, 4001, 4002, 4003]
const environment = { BERTH_LISTEN_PORTS: '4000-4003', BERTH_WINDOW_MAX: 'PT3H', BERTH_HORIZON: 'PT5H' }
const RETRIED_WITHIN = 23 * 3_600_000

const iso = (time: number): string => new Date(time).toISOString()

/** The files of a service that has nothing in it: making them anew for every story would take longer than most. */
export const emptyData = async (t: Tidying): Promise<string> => {
  const service = await start(t, { now: NOW, environment })
  await service.stop()
  return service.data
}

class Story {
  readonly model: Model
  readonly outcomes: string[] = []
  /** What was sent last, for whoever looks for the fault. */
  readonly told: string[] = []
  private readonly scope: Tidying
  private readonly data: string
  private readonly subject: Subject
  private readonly keyed: Request[] = []
  private service: Running | undefined

  constructor(scope: Tidying, data: string, subject: Subject) {
    this.scope = scope
    this.data = data
    this.subject = subject
    this.model = newModel(Date.parse(NOW), PORTS)
  }
}
