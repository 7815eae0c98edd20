-- The log that version 2.0.0 wrote: machines, a reservation, a request, a token, users and secrets. Made from its events.db by `sqlite3 .dump`.
PRAGMA application_id=1651668072;
PRAGMA user_version=2;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE event (
    position INTEGER PRIMARY KEY,
    previous INTEGER,
    recorded TEXT NOT NULL,
    leaf BLOB NOT NULL
  ) STRICT;
INSERT INTO event VALUES(0,NULL,'{"data":{"version":5},"id":"01bb4b9e-a400-7932-a601-b4d0f44af337","metadata":{"actor":"berth","request_id":"01bb4b9e-a400-7d3e-a578-9e55623b1301","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"listenPorts","type":"LogVersionSet"}',X'b8a7f24175ce6a04311d49ba2f2fd9a4d78eae3ebfb96a1428d5de4205986e9e');
INSERT INTO event VALUES(1,NULL,'{"data":{"_id":"590780914445534540190009","credentials":{"changed":["epoch","name","password"],"id":"342cf389f7319dbccb470e33"},"role":"administrator"},"id":"01bb4b9e-a400-7f55-b4e1-9139bf626e2f","metadata":{"actor":"berth","request_id":"01bb4b9e-a400-7702-a743-82eef30df68f","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"users","type":"UserAdded"}',X'a4025e2c9f2c041bda812898efd183d250b721d827af5ea266654002845b6c9f');
INSERT INTO event VALUES(2,1,'{"data":{"_id":"590780914445534540190000","credentials":{"changed":["epoch","name","password"],"id":"5b8c798dbe75872f678c84ef"},"quota":{"hours_per_week":null,"priority_max":null,"reservations_max":null},"role":"tester"},"id":"01bb4b9e-a400-714e-a90e-4786ef7ba20a","metadata":{"actor":"berth","request_id":"01bb4b9e-a400-7702-a743-82eef30df68f","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"users","type":"UserAdded"}',X'705538a61c34fafc92d14119ace39d710084e1eefe9ab9d7c9e6b49a3d1d23f4');
INSERT INTO event VALUES(3,2,'{"data":{"_id":"590780914445534540190001","credentials":{"changed":["epoch","name","password"],"id":"42afee644579e42da87472d2"},"quota":{"hours_per_week":null,"priority_max":null,"reservations_max":null},"role":"tester"},"id":"01bb4b9e-a400-7f18-a006-ca32a716074c","metadata":{"actor":"berth","request_id":"01bb4b9e-a400-7702-a743-82eef30df68f","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":2,"stream":"users","type":"UserAdded"}',X'b79e1fdbfd6e438cdcd8b7ede2d54b544611ee29f8522f3474016d109f3c2b3c');
INSERT INTO event VALUES(4,3,'{"data":{"_id":"590780914445534540190002","credentials":{"changed":["epoch","name","password"],"id":"4c2b9d8f0a74637a54155328"},"role":"auditor"},"id":"01bb4b9e-a400-7175-b652-2db16e5797ee","metadata":{"actor":"berth","request_id":"01bb4b9e-a400-7702-a743-82eef30df68f","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":3,"stream":"users","type":"UserAdded"}',X'ec549d7b41532c46e91687d0fc8db5632b4baac8dba63f8d19c43b769736b96d');
INSERT INTO event VALUES(5,0,'{"data":{"listen_port":20000,"sut_id":"717bce8054af759ba91ab61c"},"id":"01bb4b9e-a400-74e9-866a-e2dc6b60de6d","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7c24-86c3-c89f7d3aab59","role":"administrator","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"listenPorts","type":"ListenPortAssigned"}',X'1695dfb6e8bcfe96d7c74fb57ab9bf4b7ed5ca429e02575872c76943d71b3c3f');
INSERT INTO event VALUES(6,NULL,'{"data":{"_id":"717bce8054af759ba91ab61c","address":"192.168.9.5","credentials":{"changed":["password"],"id":"8d304c9846656fb3d435d177"},"description":"","is_active":true,"listen_port":20000,"manufacturer":"","model":"","name":"bench 1","os":"","port":5902,"sut_type":"vnc","tags":{"rack":"4"},"version":""},"id":"01bb4b9e-a400-7e47-ac6d-2e096c0d85a2","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7c24-86c3-c89f7d3aab59","role":"administrator","schema":2,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"sut-717bce8054af759ba91ab61c","type":"SutCreated"}',X'bc20bf6e4733fa2b36dfe2d4de496d5c1ee53bedaf9d066585af34f0ffedfd9d');
INSERT INTO event VALUES(7,5,'{"data":{"listen_port":20001,"sut_id":"717bce80e0ba4a6bad63db25"},"id":"01bb4b9e-a400-75a4-b356-39b845aa6b94","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-74eb-bc84-1ce75d702ea1","role":"administrator","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":2,"stream":"listenPorts","type":"ListenPortAssigned"}',X'8b80c5537295ca088ca7e40bd450f42431ab101835210de5c976422e5ba946bb');
INSERT INTO event VALUES(8,NULL,'{"data":{"_id":"717bce80e0ba4a6bad63db25","address":"192.168.9.5","description":"","is_active":true,"listen_port":20001,"manufacturer":"","model":"","name":"bench 2","os":"","port":5902,"sut_type":"vnc","version":""},"id":"01bb4b9e-a400-7937-8c16-3ddd1fa9ee65","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-74eb-bc84-1ce75d702ea1","role":"administrator","schema":2,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"sut-717bce80e0ba4a6bad63db25","type":"SutCreated"}',X'7aefad43d9d613b04811da06dbf94d6382d3363f5f2061bb98b110212fd8fa71');
INSERT INTO event VALUES(9,8,'{"data":{"_id":"717bce80fba5082d174f6504","counted":1,"end_time":"2030-05-02T09:15:00+00:00","keepalive":600,"listen_port":20001,"start_time":"2030-05-02T09:00:00+00:00","sut_id":"717bce80e0ba4a6bad63db25","user_id":"590780914445534540190000"},"id":"01bb4b9e-a400-725e-a773-c87e20f79ec6","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7f64-91a8-c138dbc00c30","role":"administrator","schema":3,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"sut-717bce80e0ba4a6bad63db25","type":"ReservationCreated"}',X'e7164c07623eff31327b845f79e303ddb7c00a6ca1a0b207d46a55d18fd0c768');
INSERT INTO event VALUES(10,NULL,'{"data":{"_id":"717bce807c801b0e3e953976","duration":900,"expires_at":"2030-05-03T08:00:00.000Z","match":{"tags":{"rack":"4"}},"priority":0,"user_id":"590780914445534540190001"},"id":"01bb4b9e-a400-7fec-b518-02afa902f539","metadata":{"actor":"590780914445534540190001","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7fff-ba0e-08b253bb00e6","role":"tester","schema":3,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"requests","type":"ReservationRequested"}',X'2035f295eafaf0f3432877d27175cee8fe33892c7b93c5c13c5ae5b77c47897d');
INSERT INTO event VALUES(11,10,'{"data":{"_id":"717bce807c801b0e3e953976","end_time":"2030-05-02T08:15:00+00:00","start_time":"2030-05-02T08:00:00+00:00","sut_id":"717bce8054af759ba91ab61c","sut_reservation_id":"717bce80d33f60363836fbc4","user_id":"590780914445534540190001"},"id":"01bb4b9e-a400-7853-861b-161ffd78c043","metadata":{"actor":"590780914445534540190001","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7fff-ba0e-08b253bb00e6","role":"tester","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"requests","type":"RequestOffered"}',X'2a8ee2f8876167ca90dc6ce7cce3269ffa63e4b267cca68e6db3d943898c919d');
INSERT INTO event VALUES(12,6,'{"data":{"_id":"717bce80d33f60363836fbc4","counted":1,"end_time":"2030-05-02T08:15:00+00:00","listen_port":20000,"match":{"tags":{"rack":"4"}},"start_time":"2030-05-02T08:00:00+00:00","sut_id":"717bce8054af759ba91ab61c","sut_request_id":"717bce807c801b0e3e953976","user_id":"590780914445534540190001"},"id":"01bb4b9e-a400-79aa-96a5-3a2c6325a958","metadata":{"actor":"590780914445534540190001","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-7fff-ba0e-08b253bb00e6","role":"tester","schema":3,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"sut-717bce8054af759ba91ab61c","type":"ReservationCreated"}',X'c9c46ef03fde592b1ec2d959706c2b8389eeadc02b821987a947c70f8b2162e3');
INSERT INTO event VALUES(13,11,'{"data":{"_id":"717bce807c801b0e3e953976","sut_id":"717bce8054af759ba91ab61c","sut_reservation_id":"717bce80d33f60363836fbc4","user_id":"590780914445534540190001"},"id":"01bb4b9e-a400-744d-8088-1900e4dc4be0","metadata":{"actor":"schedule","request_id":"01bb4b9e-a400-7fff-ba0e-08b253bb00e6","role":"system","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":2,"stream":"requests","type":"RequestGranted"}',X'3574cb063345a52fb4329130a30f8be495279ecc3c6795721264a531031a1909');
INSERT INTO event VALUES(14,NULL,'{"data":{"_id":"f9b2709b0f4c4d5430be105d","credentials":{"changed":["f9b2709b0f4c4d5430be105d"],"id":"8f5a1e881d5256bd0ec49008"},"hash":"18a2a00d94668343612def86f6c1a33c27c9826919c65f5c7382516c0f379196","role":"tester","user_id":"590780914445534540190000"},"id":"01bb4b9e-a400-77d6-8ed7-bab49270576a","metadata":{"actor":"590780914445534540190000","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-70a2-b746-db35cfdae328","role":"tester","schema":2,"time":"2030-05-02T08:00:00.000Z"},"revision":0,"stream":"tokens-590780914445534540190000","type":"TokenIssued"}',X'2a1969193fa358708864fe871416ee7c54273860f120b6a9ac0243b4030dec31');
INSERT INTO event VALUES(15,14,'{"data":{"_id":"f9b2709b0f4c4d5430be105d","user_id":"590780914445534540190000"},"id":"01bb4b9e-a400-72fd-82e6-d3c34f79c9ca","metadata":{"actor":"590780914445534540190000","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-743c-952f-d7413a91fdba","role":"tester","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":1,"stream":"tokens-590780914445534540190000","type":"TokenRevoked"}',X'8b9bf42defca6db1ff3a5b6c6b4532446a6ef607a005e98129a45a4d37322869');
INSERT INTO event VALUES(16,4,'{"data":{"_id":"590780914445534540190002","reservations":"keep"},"id":"01bb4b9e-a400-78b2-8fdb-7cfa9337cc10","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-71b3-a8dd-e6f2b4bb3c50","role":"administrator","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":4,"stream":"users","type":"UserRemoved"}',X'728c7b3d4a3652a4c37b5f4a2ccf18d9a6b27d046990929d67d28809d5bd81b8');
INSERT INTO event VALUES(17,16,'{"data":{"_id":"590780914445534540190002"},"id":"01bb4b9e-a400-79d7-a923-40d3eca0b088","metadata":{"actor":"590780914445534540190009","client":"k1:S7wEygvvr2_-VLcV6iRC-A","request_id":"01bb4b9e-a400-753c-a9fd-7d6d3a5ba118","role":"administrator","schema":1,"time":"2030-05-02T08:00:00.000Z"},"revision":5,"stream":"users","type":"UserErased"}',X'30370d2201ad9c107facdff8f61260cbd09b83216512e386f422fc3569d3dbde');
CREATE TABLE head (
    stream TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO head VALUES('listenPorts',2,7);
INSERT INTO head VALUES('requests',2,13);
INSERT INTO head VALUES('sut-717bce8054af759ba91ab61c',1,12);
INSERT INTO head VALUES('sut-717bce80e0ba4a6bad63db25',1,9);
INSERT INTO head VALUES('tokens-590780914445534540190000',1,15);
INSERT INTO head VALUES('users',5,17);
CREATE TABLE vault (
    sut_id TEXT NOT NULL,
    field TEXT NOT NULL,
    id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    nonce BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    PRIMARY KEY (sut_id, field)
  ) STRICT, WITHOUT ROWID;
INSERT INTO vault VALUES('-','k1','717bce80d2bb2b03f1642a48','k1',X'91ae4ed2279f09ad3f3d6e6a',X'0eae84e027627968463f971e577c0eb705e0598cbb');
INSERT INTO vault VALUES('-audit','signer','717bce805eb551bd35ca44e8','audit key',X'',X'6c61622e6578616d706c652f62657274682b63363861663566612b41597148582f3865733452525633724e5776376b4255566c614e313869654351686a6f4656377836394a3858');
INSERT INTO vault VALUES('717bce8054af759ba91ab61c','password','8d304c9846656fb3d435d177','k1',X'8bfd348b1bc6f103e1c99836',X'1d40664ac851c46e601419e468ec9dbe0ea73260720f55e234a22c7e11fc2ecfcf');
INSERT INTO vault VALUES('tokens:590780914445534540190000','f9b2709b0f4c4d5430be105d','8f5a1e881d5256bd0ec49008','k1',X'afebe25aceabeefd2661e84f',X'1d5a8cbba07c2cef0d6d971653546888b07f');
INSERT INTO vault VALUES('user:590780914445534540190000','epoch','5b8c798dbe75872f678c84ef','k1',X'd6d14432f0a29235692c29d1',X'61cbc3fa84f1f702a7937be77d1e074963dacf89afacf1f1e87b33f867d20d5d23a7fa2ac2bded0641317b303537e346');
INSERT INTO vault VALUES('user:590780914445534540190000','name','5b8c798dbe75872f678c84ef','k1',X'e633016ba838236c2bf52eef',X'3f880f4015aff74fd8d71568e86a2f07c1f7855c4a');
INSERT INTO vault VALUES('user:590780914445534540190000','password','5b8c798dbe75872f678c84ef','k1',X'21cd6337dec0961e3e05bc6b',X'0c4c9a5201afd24ce4d512a7882de02b5cd363e574057466e76d90da32b6a26d0219c7c2e598b52888c2eee489cc4a5783fd099a9cfa429f6d271fab67b376471bf518b478ca2bf999e6f277756026f6e51dfff5dc251f0231feb5da60d933eaf6e376f373214264a2e707dcdd');
INSERT INTO vault VALUES('user:590780914445534540190001','epoch','42afee644579e42da87472d2','k1',X'1f090a916e6393ae796a4cde',X'78aa9b95c94ca3ec59055748dd54363d037dab7ed7fa43f27b2563d5ed62b61ee56eecb123dac733a23601a07704da68');
INSERT INTO vault VALUES('user:590780914445534540190001','name','42afee644579e42da87472d2','k1',X'1bddeb10496b978f68cb35b5',X'6d3e433125dfa02e25f6c14e2630826ffbd1dc');
INSERT INTO vault VALUES('user:590780914445534540190001','password','42afee644579e42da87472d2','k1',X'57e32aa5f7504a92b89a390a',X'905660904180c72012265f3ff161dbcc7569b9016a046bc0ddad4c013b86d3d46a268f61d29a72e9598b76329becb65b1fb6c1e3419ab32428ea61a9bf3205cb566b71e8df1915effe2de27f3b8b54f439b9a294ae8f3a3c7ee6be2256968de637edc41e86c8f6aa496233e3fe');
INSERT INTO vault VALUES('user:590780914445534540190009','epoch','342cf389f7319dbccb470e33','k1',X'df4f2ced35458c9c0c5a025e',X'3287a002bd63a75c666ec89082b31df19f51b0cb9126a34e506ee363d3a5b261664e0cf043d8cad85ee645bc43a61dd6');
INSERT INTO vault VALUES('user:590780914445534540190009','name','342cf389f7319dbccb470e33','k1',X'd2f7b609763959022f92d9b6',X'5c9343f2474084297232cdb7f8544df0f1a557640a');
INSERT INTO vault VALUES('user:590780914445534540190009','password','342cf389f7319dbccb470e33','k1',X'7798ad6e55db1981ba4cb256',X'24e5d685dbf953c91cc522db1ef0a701f926f6d4d706de75e573ee94c7846fcd699affc01d45d6151fb762cd1cb2da0a74ec3b3da66810ebf101abad3ebef23fa9f577c38ec3d2ebcc9a92de627113b6d5145b8fdfb4dfd05f45a156537fe3ef985c31b670432db075cb28c73c');
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('end','17');
INSERT INTO meta VALUES('heads','17');
INSERT INTO meta VALUES('log_id','55802f5db62a77d62c607b58');
INSERT INTO meta VALUES('scrubbed','');
INSERT INTO meta VALUES('writer','{"id":"1f0f71d8053aa10f90fd637c","previous":null,"lock":"65024:13593066","path":"/tmp/tmp.NSx1tVw7Qr/data/events.db","writer":"process 24601 on vm since 2026-11-28T23:50:48.519Z","is_open":false}');
CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
    WHEN NEW.position IS NOT (SELECT ifnull(max(position) + 1, 0) FROM event)
    BEGIN SELECT RAISE(ABORT, 'an event is only ever added behind the last one'); END;
CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
CREATE TRIGGER head_is_not_replaced BEFORE INSERT ON head
    WHEN EXISTS (SELECT 1 FROM head WHERE stream = NEW.stream)
    BEGIN SELECT RAISE(ABORT, 'a stream has one head'); END;
CREATE TRIGGER head_is_not_deleted BEFORE DELETE ON head
    BEGIN SELECT RAISE(ABORT, 'a head is never deleted'); END;
CREATE VIEW events AS SELECT
    position,
    recorded ->> '$.stream' AS stream,
    recorded ->> '$.revision' AS revision,
    recorded ->> '$.type' AS type,
    recorded ->> '$.metadata.time' AS time,
    recorded ->> '$.metadata.actor' AS actor,
    recorded -> '$.data' AS data
  FROM event;
COMMIT;
