import type { DataOf } from '../../domain/event.ts'
import { copyText, type Report, type Sut } from './state.ts'

/** Who has which listen_port, as the log has it at a place. */
export interface Ports {
  readonly assign: (data: DataOf<'ListenPortAssigned'>, time: number, sut: Sut | undefined, report: Report) => void
  /** @param sut undefined where nobody can say what stands in its stream */
  readonly release: (data: DataOf<'ListenPortReleased'>, sut: Sut | undefined, report: Report) => void
  /** A SUT comes to be, or is given up, by the second append of a creation; its time counts where it comes to be. */
  readonly use: (sutId: string, listen_port: number, time: number | undefined, report: Report) => void
}

interface Assignment {
  readonly listen_port: number
  readonly time: number
}

export const makePorts = (): Ports => {
  const bySut = new Map<string, Assignment>()
  const byPort = new Map<number, string>()
  return {
    assign: ({ sut_id, listen_port }, time, sut, report) => {
      const holder = byPort.get(listen_port)
      if (holder !== undefined) report(`gives away the listen_port ${listen_port}, which the SUT ${holder} has`)
      if (bySut.has(sut_id)) report(`gives the SUT ${sut_id} a second listen_port`)
      if (sut !== undefined) report(`gives a listen_port to the SUT ${sut_id}, which is ${sut.status}`)
      const id = copyText(sut_id)
      bySut.set(id, { listen_port, time })
      byPort.set(listen_port, id)
    },
    release: ({ sut_id, listen_port }, sut, report) => {
      if (bySut.get(sut_id)?.listen_port !== listen_port) {
        report(`takes back the listen_port ${listen_port}, which the SUT ${sut_id} has not`)
        return
      }
      if (sut !== undefined && sut.status !== 'retired' && sut.status !== 'abandoned') {
        report(`takes back the listen_port of the SUT ${sut_id}, which is ${sut.status}`)
      }
      bySut.delete(sut_id)
      if (byPort.get(listen_port) === sut_id) byPort.delete(listen_port)
    },
    use: (sutId, listen_port, time, report) => {
      const assignment = bySut.get(sutId)
      if (assignment === undefined) {
        report('is about a SUT that has been given no listen_port')
        return
      }
      if (assignment.listen_port !== listen_port) {
        report(`has the listen_port ${listen_port}, the SUT was given ${assignment.listen_port}`)
      }
      if (time !== undefined && assignment.time !== time)
        report('has another time than the assignment of its listen_port')
    },
  }
}
