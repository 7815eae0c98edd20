import ava, { type ExecutionContext, type TestFn } from 'ava'
import { isForThorough, isThorough, isThoroughFile, moreIn } from '../../thorough.ts'
import { addTime, keepTimes } from './times.ts'

/**
 * Tests of a suite that run at a time. Each may have a service or two of its own; with many more at once every one of
 * them is slow, and one that waits for an answer waits too long. Those of the thorough run keep a core busy each.
 */
const AT_A_TIME = isThorough ? 2 : 4

/**
 * Milliseconds without an assertion after which a test fails, unless it sets its own time. ava's limit for a whole run
 * names no test, and does not come back once it was put off by a test with a time of its own: it has to be longer than
 * any of those.
 */
const WITHIN = 240_000

let running = 0
const waiting: (() => void)[] = []

const enter = async (): Promise<void> => {
  if (running < AT_A_TIME) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Begins the next test in another turn: a chain of synchronous tests would keep the others' requests waiting. */
const leave = (): void => {
  const next = waiting.shift()
  if (next === undefined) running--
  else setImmediate(next)
}

type Implementation = (t: ExecutionContext, ...rest: readonly unknown[]) => unknown
interface Macro {
  readonly exec: Implementation
}

const gated = (implementation: Implementation): Implementation => {
  const name = file
  return async (t, ...rest) => {
    await enter()
    const began = performance.now()
    // The last of its teardowns, since they run in reverse order.
    t.teardown(() => {
      addTime(name, performance.now() - began)
      leave()
    })
    t.timeout(WITHIN)
    return implementation(t, ...rest)
  }
}

const gatedTest = (body: Implementation | Macro): Implementation | Macro =>
  typeof body === 'function' ? gated(body) : { ...body, exec: gated(body.exec) }

let file = ''
let isOfThorough = false
/** The code of the file's tests that do more in the thorough run. */
const withMore = new Set<string>()
const declarations: (() => void)[] = []

/** Tests declared from now on are those of a file. Their titles begin with its name. */
export const enterFile = (path: string): void => {
  file = path.replace(/\.test\.ts$/, '').replaceAll('/', ' › ')
  isOfThorough = isThoroughFile(path)
  withMore.clear()
}

/** The thorough run knows by its code whether a test does more there: what says so has to stand in the test itself. */
export const leaveFile = (source: string): void => {
  const known = [...withMore].reduce((sum, code) => sum + moreIn(code), 0)
  if (known < moreIn(source)) throw new Error(`${file}: rounds() and isThorough belong into the code of a test`)
}

const isDue = (title: string, code: string): boolean => {
  if (moreIn(code) > 0) withMore.add(code)
  if (!isThorough) return !isForThorough(title)
  return isOfThorough || isForThorough(title) || moreIn(code) > 0
}

/** Declares all of them in one turn: ava starts at the end of the turn in which it is given the first. */
export const declareAll = (): void => {
  process.once('exit', () => keepTimes(ava.meta.file))
  for (const declare of declarations) declare()
}

const isTest = (key: string): boolean => key === '' || key === 'serial'
const HOOKS = ['before', 'after', 'beforeEach', 'afterEach', 'always']

type Declare = (...args: readonly unknown[]) => void

const deferred = (target: Declare, key = ''): Declare =>
  new Proxy(target, {
    apply: (declare, _self, args: readonly unknown[]) => {
      const [title, body, ...rest] = args as readonly [unknown, Implementation | Macro]
      if (isTest(key) && !isDue(String(title), String(typeof body === 'function' ? body : body.exec))) return
      const prefix = `${file} › `
      if (isTest(key)) {
        const gatedBody = gatedTest(body)
        declarations.push(() => declare(`${prefix}${title}`, gatedBody, ...rest))
      } else declarations.push(() => declare(...args.map((arg) => (typeof arg === 'string' ? `${prefix}${arg}` : arg))))
    },
    get: (declare, name: string) => {
      const member = Reflect.get(declare, name)
      return isTest(name) || HOOKS.includes(name) ? deferred(member as Declare, name) : member
    },
  })

// biome-ignore lint/style/noDefaultExport: it stands in for ava, whose default export this is.
export default deferred(ava as unknown as Declare) as unknown as TestFn
