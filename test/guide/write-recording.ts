import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../process/harness.ts'
import { readme } from './documents.ts'
import { drawRecording } from './recording.ts'

await writeFile(join(ROOT, 'src/guide/tour.svg'), drawRecording(readme))
