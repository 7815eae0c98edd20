import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { sharedService } from '../../http/shared.ts'
import { areInstalled } from '../../tools.ts'

const service = sharedService()

test('the client for Python is one file with an ETag, that compiles and has the version of the service', async (t) => {
  const { status, text, headers } = await service.anyone.get('/client/berth.py')
  t.deepEqual([status, headers['content-type']], [200, 'text/x-python; charset=utf-8'])
  t.is((await service.anyone.get('/client/berth.py', { 'If-None-Match': String(headers.etag) })).status, 304)
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  t.true(text.includes(`__version__ = "${version}"`))
  if (!areInstalled(t, 'python3')) return
  const script = `
import ast, sys
tree = ast.parse(sys.argv[1], feature_version=(3, 9))
names = {name.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
names |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
print(sorted(names - set(sys.stdlib_module_names) - {"__future__"}))
`
  const options = { env: { PATH: process.env.PATH }, cwd: await temporaryData(t) }
  const { stdout } = await promisify(execFile)('python3', ['-W', 'error', '-c', script, text], options)
  t.is(stdout, '[]\n')
})
