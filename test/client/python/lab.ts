import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Setting, Tidying } from '../../http/harness.ts'
import { areInstalled } from '../../tools.ts'
import { type Lab, startLab, watch } from '../lab.ts'

/** A folder with the client that a service hands out, and the environment of its programs. */
export interface PythonLab extends Lab {
  /** Runs `python3`, with a text as its program, or another tool of the folder. */
  readonly run: (t: Tidying, script: string, options?: Options) => ReturnType<typeof watch>
}

interface Options {
  readonly env?: NodeJS.ProcessEnv
  /** In place of `python3`. */
  readonly line?: readonly string[]
}

/** What each program begins with: short times, and the log on standard error. */
const PRELUDE = `
import logging, os, sys, time, threading, signal
import berth
logging.basicConfig(level=logging.INFO, format="berth: %(message)s")
berth.LIMITS.retry, berth.LIMITS.keep = 0.05, 0.2
MINE = {"match": {"sut_type": "tcp"}, "minutes": 15}
def say(*words): print(*words, flush=True)
`

export const startPythonLab = async (t: Tidying, machines = 1, setting: Setting = {}): Promise<PythonLab> => {
  const lab = await startLab(t, machines, setting)
  await writeFile(join(lab.folder, 'berth.py'), (await lab.service.anyone.get('/client/berth.py')).text)
  return { ...lab, run: runnerIn(lab) }
}

/** Runs programs as this one starts another service on the same data, too. */
export const runnerIn =
  ({ folder, env: own }: Pick<Lab, 'folder' | 'env'>): PythonLab['run'] =>
  (t, script, { env = {}, line = ['python3', '-c', PRELUDE + script] } = {}) => {
    const [program = '', ...args] = line
    // A group of its own, of which the test ends what is left.
    const child = spawn(program, args, {
      ...{ cwd: folder, detached: true },
      env: { PATH: `/usr/bin:${process.env.PATH}`, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', ...own, ...env },
    })
    t.teardown(() => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // It has ended.
      }
    })
    child.stdin.on('error', () => undefined).end()
    return watch(child)
  }

/** Ends the reservation that the nth machine has now. */
export const takeAway = async ({ service, suts }: Lab, n: number): Promise<void> => {
  const admin = service.as('admin')
  const { json } = await admin.get(`/api/sut_reservation?sut_id=${suts[n - 1]}&current=true`)
  const [{ _id } = { _id: '' }] = json.sut_reservations as readonly { readonly _id: string }[]
  await admin.post(`/api/sut_reservation/${_id}/cancel`, {})
}

type Run = (t: ExecutionContext) => Promise<void>

/** A test of a program in Python. */
export const inPython = (title: string, run: Run): void =>
  test(title, async (t) => {
    if (areInstalled(t, 'python3')) await run(t)
  })

/** A test of a run of pytest. */
export const inPytest = (title: string, run: Run): void =>
  test(title, async (t) => {
    if (areInstalled(t, 'pytest-3')) await run(t)
  })

/** Of the Python that runs `pytest-3`. */
export const hasXdist = (t: ExecutionContext): boolean => {
  if (spawnSync('/usr/bin/python3', ['-c', 'import xdist']).status === 0) return true
  t.log('NOT RUN: there is no python3-pytest-xdist')
  t.pass()
  return false
}
