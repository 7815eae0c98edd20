import type { DataOf } from '../../domain/event.ts'
import type { SutState } from '../../domain/sut/state.ts'
import { copyText, type Report } from '../state/state.ts'

interface Assignment {
  readonly listen_port: number
  readonly time: number
}

/** Current listen_port assignments. */
export const makePorts = () => {
  const bySut = new Map<string, Assignment>()
  const byPort = new Map<number, string>()
  return {
    assign: (
      { sut_id, listen_port }: DataOf<'ListenPortAssigned'>,
      time: number,
      sut: Pick<SutState, 'status'> | undefined,
      report: Report,
    ): void => {
      const holder = byPort.get(listen_port)
      if (holder !== undefined) report(`assigns the listen_port ${listen_port}, which the SUT ${holder} has`)
      if (bySut.has(sut_id)) report(`assigns a second listen_port to the SUT ${sut_id}`)
      if (sut !== undefined) report(`assigns a listen_port to the SUT ${sut_id}, which is ${sut.status}`)
      const id = copyText(sut_id)
      bySut.set(id, { listen_port, time })
      byPort.set(listen_port, id)
    },
    /** @param sut undefined if its stream is uncertain */
    release: (
      { sut_id, listen_port }: DataOf<'ListenPortReleased'>,
      sut: Pick<SutState, 'status'> | undefined,
      report: Report,
    ): void => {
      if (bySut.get(sut_id)?.listen_port !== listen_port) {
        report(`releases the listen_port ${listen_port}, which the SUT ${sut_id} does not have`)
        return
      }
      if (sut !== undefined && sut.status !== 'retired' && sut.status !== 'abandoned') {
        report(`releases the listen_port of the SUT ${sut_id}, which is ${sut.status}`)
      }
      bySut.delete(sut_id)
      if (byPort.get(listen_port) === sut_id) byPort.delete(listen_port)
    },
    /** The second append of a creation: creates the SUT or abandons it. `time` is undefined if abandoned. */
    use: (sutId: string, listen_port: number, time: number | undefined, report: Report): void => {
      const assignment = bySut.get(sutId)
      if (assignment === undefined) {
        report('refers to a SUT without a listen_port')
        return
      }
      if (assignment.listen_port !== listen_port) {
        report(`has the listen_port ${listen_port}, but the SUT was assigned ${assignment.listen_port}`)
      }
      if (time !== undefined && assignment.time !== time)
        report('has a different time than the assignment of its listen_port')
    },
  }
}

export type Ports = ReturnType<typeof makePorts>
