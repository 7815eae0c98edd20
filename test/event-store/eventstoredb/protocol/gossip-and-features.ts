import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type { Endpoint, SwitchState } from './switches.ts'
import { asError, uuidOf } from './wire.ts'

/** Node states in the gossip, as numbered by the protocol. */
const STATE = { follower: 6, leader: 8 } as const

const SERVICE = 'event_store.client.streams.streams'
const METHODS = {
  append: [],
  batchappend: ['deadline_duration'],
  read: ['position', 'events'],
  delete: [],
} as const

const member = ({ address, port }: Endpoint, state: number): gossip.MemberInfo =>
  new gossip.MemberInfo()
    .setInstanceId(uuidOf(crypto.randomUUID()))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port))

export const makeGossip =
  (switches: SwitchState, self: () => Endpoint): IGossipServer['read'] =>
  async (call, answer) => {
    const refused = await switches.admit('gossip', call.metadata)
    if (refused !== undefined) return answer(asError(refused))
    const leader = switches.leader()
    const members = [
      member(self(), leader === undefined ? STATE.leader : STATE.follower),
      ...(leader === undefined ? [] : [member(leader, STATE.leader)]),
    ]
    answer(null, new gossip.ClusterInfo().setMembersList(members))
  }

export const makeFeatures =
  (switches: SwitchState, version: string): IServerFeaturesServer['getSupportedMethods'] =>
  async (call, answer) => {
    const refused = await switches.admit('features', call.metadata)
    if (refused !== undefined) return answer(asError(refused))
    const methods = Object.entries(METHODS).map(([name, list]) =>
      new features.SupportedMethod()
        .setServiceName(SERVICE)
        .setMethodName(name)
        .setFeaturesList([...list]),
    )
    answer(null, new features.SupportedMethods().setEventStoreServerVersion(version).setMethodsList(methods))
  }
