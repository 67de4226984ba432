# SPDX-License-Identifier: Apache-2.0
"""The server against clients that are not gdb: broken packets, random bytes, lost and second connections."""
import pathlib
import random
import re
import socket
import subprocess
import time
import unittest

from gdb_runner import BINARY, FAST, Spica, elf


class Client:
    """Speaks the remote protocol from a socket."""

    def __init__(self, port, no_ack=True):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.buffer = b""
        self.ack = True
        if no_ack:
            assert self.ask(b"QStartNoAckMode") == b"OK"
            self.ack = False

    def raw(self, data):
        self.socket.sendall(data)

    def exactly(self, count):
        """The next `count` bytes, which may come one by one."""
        data = b""
        while len(data) < count:
            data += self.socket.recv(count - len(data))
        return data

    @staticmethod
    def frame(payload):
        return b"$" + payload + b"#" + b"%02x" % (sum(payload) & 0xFF)

    def send(self, payload):
        self.raw(self.frame(payload))

    def reply(self):
        """The next packet's payload, escapes resolved; None when the server has closed."""
        while True:
            found = re.search(rb"\$([^#]*)#(..)", self.buffer, re.S)
            if found:
                self.buffer = self.buffer[found.end():]
                assert sum(found[1]) & 0xFF == int(found[2], 16)
                if self.ack:
                    self.raw(b"+")
                return re.sub(rb"}(.)", lambda m: bytes([m[1][0] ^ 0x20]), found[1], flags=re.S)
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data

    def ask(self, payload):
        self.send(payload)
        return self.reply()

    def wait_for_stop(self):
        """The next answer that is no console text."""
        while True:
            reply = self.reply()
            if reply is None or not reply.startswith(b"O") or reply == b"OK":
                return reply

    def close(self):
        self.socket.close()


class Protocol(unittest.TestCase):
    def setUp(self):
        self.spica = Spica("debug", "virgo", elf("debugger_steps"), "-q")
        self.addCleanup(self.spica.__exit__, None, None, None)

    def client(self, **options):
        client = Client(self.spica.port, **options)
        self.addCleanup(client.close)
        return client

    def test_answers_what_gdb_asks_first(self):
        c = self.client()
        self.assertIn(b"vContSupported+", c.ask(b"qSupported:multiprocess+;swbreak+"))
        self.assertEqual(c.ask(b"vCont?"), b"vCont;c;C;s;S;r")
        self.assertEqual(c.ask(b"vMustReplyEmpty"), b"")
        self.assertEqual(c.ask(b"qfThreadInfo"), b"m1,9,11,19")
        self.assertEqual(c.ask(b"qsThreadInfo"), b"l")
        self.assertEqual(c.ask(b"qC"), b"QC1")
        self.assertTrue(c.ask(b"?").startswith(b"T05thread:1;"))
        self.assertEqual(len(c.ask(b"g")), 65 * 8)
        self.assertIn(b"core 1 warp 0", bytes.fromhex(c.ask(b"qThreadExtraInfo,9").decode()))
        self.assertEqual(c.ask(b"T9"), b"OK")
        self.assertEqual(c.ask(b"T2"), b"E01")  # does not run yet
        self.assertEqual(c.ask(b"Hg2"), b"E01")
        self.assertEqual(c.ask(b"Hg9"), b"OK")
        self.assertEqual(c.ask(b"qC"), b"QC9")

    def test_long_texts_come_in_pieces(self):
        c = self.client()
        text, offset = b"", 0
        while True:
            piece = c.ask(b"qXfer:features:read:target.xml:%x,100" % offset)
            text += piece[1:]
            offset += len(piece) - 1
            if piece[:1] == b"l":
                break
        self.assertTrue(text.endswith(b"</target>\n"))
        self.assertEqual(c.ask(b"qXfer:features:read:other.xml:0,100"), b"E00")
        self.assertEqual(c.ask(b"qXfer:features:read:target.xml:fffffffff,1"), b"l")

    def test_invalid_requests_get_an_error_and_change_nothing(self):
        c = self.client()
        for request in (b"m10,4", b"m80000000", b"mzz,4", b"m,", b"mffffffffffffffff,4", b"M10,4:00000000",
                        b"M80000000,4:0000", b"M80000000,4:zzzzzzzz", b"X10,1:a", b"X80000000,5:a", b"p", b"p2000", b"pffffffffffff",
                        b"P20=00", b"P20=01000080", b"P2=zz", b"P1069=00000000", b"P1068=09000000", b"G00", b"Gxx", b"Hx1",
                        b"Hgfff", b"T", b"Tfff", b"Z0,10,4", b"Z0,80000002,4", b"Z2,10,4", b"Z2,80000000,0", b"Z0,", b"Z2,1ffffffff,4",
                        b"Z0,80000000,4;X1", b"Z0,80000000,4;X2,22", b"Z0,80000000,4;X0,", b"Z0,80000000,4;cmds:0,X1,27",
                        b"z0", b"vCont;", b"vCont;q", b"vCont;r10", b"vCont;C", b"vCont;c:zz", b"vCont;c:fff", b"s1", b"Cxx",
                        b"qRcmd,zz", b"qThreadExtraInfo,", b"qThreadExtraInfo,77", b"qXfer:threads:read::x", b"qXfer:features:read:target.xml:0"):
            self.assertIn(c.ask(request), (b"E01", b"E00"), request)
        for request in (b"", b"!", b"R00", b"b", b"Z9,80000000,4", b"qBogus", b"QNonStop:1", b"vRun", b"vFile:open:", b"\xff\xfe",
                        b"qXfer:auxv:read::0,10", b"qXfer:features:write:x:0,1"):
            self.assertEqual(c.ask(request), b"", request)
        self.assertEqual(c.ask(b"p20"), b"00000080")

    def test_memory_is_read_up_to_its_end_and_in_large_pieces(self):
        c = self.client()
        self.assertEqual(len(c.ask(b"m80000000,4000")), 2 * 0x4000)
        self.assertEqual(len(c.ask(b"mff00fffe,10")), 4)
        self.assertLessEqual(len(c.ask(b"m80000000,ffffffff")), 0x8000)
        self.assertEqual(c.ask(b"X90000000,4:}\x03}\x04}]}\x0a"), b"OK")
        self.assertEqual(c.ask(b"m90000000,4"), b"23247d2a")

    def test_the_old_commands_to_go_on_work(self):
        c = self.client()
        self.assertTrue(c.ask(b"s").startswith(b"T05thread:1;"))
        self.assertEqual(c.ask(b"p20"), b"04000080")
        self.assertEqual(c.ask(b"Hc9"), b"OK")
        self.assertTrue(c.ask(b"S05").startswith(b"T05thread:9;"))
        self.assertTrue(c.ask(b"vCont;s:1").startswith(b"T05thread:1;"))
        self.assertTrue(c.ask(b"vCont;r80000000,80000020:1").startswith(b"T05thread:1;"))
        self.assertGreaterEqual(int.from_bytes(bytes.fromhex(c.ask(b"p20").decode()), "little"), 0x80000020)
        self.assertEqual(c.ask(b"Hc-1"), b"OK")
        c.send(b"c")
        self.assertEqual(c.wait_for_stop(), b"W07")
        self.assertEqual(self.spica.wait(), 7)

    def test_damaged_packets_are_asked_for_again(self):
        c = self.client(no_ack=False)
        c.raw(b"$qC#00")
        self.assertEqual(c.socket.recv(1), b"-")
        c.raw(b"$qC$qC#b4")  # the end of the first is missing
        self.assertEqual(c.exactly(2), b"-+")
        self.assertEqual(c.reply(), b"QC1")
        c.raw(b"-")
        self.assertEqual(c.reply(), b"QC1")
        c.raw(b"$" + b"m" * 100_000 + b"#00")
        self.assertEqual(c.socket.recv(1), b"-")

    def test_random_bytes_do_no_harm(self):
        dice = random.Random(6)
        c = self.client()
        letters = b"gGpPmMXzZHTcsCSvqQ?!RtbBidr0123456789abcdef,:;=-}\x00\xff"
        for _ in range(1500):
            noise = bytes(dice.choice(letters) for _ in range(dice.randrange(0, 24)))
            noise = noise.replace(b"#", b"").replace(b"$", b"")
            if noise[:1] in (b"c", b"s", b"C", b"S", b"v", b"}"):  # nothing that lets the program go on
                noise = b"q" + noise
            c.ask(noise)
        c.raw(bytes(dice.randrange(256) for _ in range(20_000)).replace(b"D", b"d").replace(b"k", b"K"))
        c.raw(b"#00#00")
        c.send(b"qSymbol::")
        while c.reply() != b"OK":
            pass
        self.assertIsNone(self.spica.process.poll())
        c.close()
        self.assertIn(self.spica.wait(), (0, 1, 7))  # whatever the noise wrote, the end is the program's

    def test_a_second_client_is_turned_away(self):
        first = self.client()
        second = socket.create_connection(("127.0.0.1", self.spica.port), timeout=30)
        first.ask(b"qC")
        self.assertEqual(second.recv(10), b"")
        second.close()
        self.assertEqual(first.ask(b"qC"), b"QC1")

    def test_a_lost_connection_lets_the_program_go_on(self):
        c = self.client()
        self.assertEqual(c.ask(b"Z0,80000000,4"), b"OK")
        c.close()
        self.assertEqual(self.spica.wait(), 7)
        self.assertIn("the connection is lost", self.spica.err)

    def test_gdb_may_come_again(self):
        spica = Spica("debug", "virgo", elf("fault_7"), "--set", "run.hang_cycles=1000000000")
        self.addCleanup(spica.__exit__, None, None, None)
        first = Client(spica.port)
        self.assertEqual(first.ask(b"D"), b"OK")
        first.close()
        while "about to fail" not in spica.out:
            time.sleep(0.05)
        second = Client(spica.port)
        self.assertTrue(second.ask(b"?").startswith(b"T05"))
        self.assertTrue(second.ask(b"vCont;s:1").startswith(b"T05thread:1;"))
        second.send(b"vCont;c")
        spica.runs()
        second.raw(b"\x03")
        self.assertTrue(second.wait_for_stop().startswith(b"T02"))
        second.send(b"k")
        second.close()
        self.assertEqual(spica.wait(), 1)

    def test_conditions_of_all_kinds_of_bytes_do_no_harm(self):
        dice = random.Random(7)
        c = self.client()
        for _ in range(200):
            code = bytes(dice.choice((dice.randrange(0x35), dice.randrange(256))) for _ in range(dice.randrange(1, 20)))
            self.assertEqual(c.ask(b"Z0,80000008,4;X%x,%s" % (len(code), code.hex().encode())), b"OK")
            c.ask(b"P20=00000080")
            self.assertTrue(c.ask(b"vCont;s:1").startswith(b"T05"))
        self.assertEqual(c.ask(b"Z0,80000008,4;X3,220027"), b"OK")  # constant 0: never
        self.assertEqual(c.ask(b"Z0,8000000c,4;X3,220127"), b"OK")  # constant 1: always
        c.ask(b"P20=00000080")
        c.send(b"vCont;c")
        self.assertTrue(c.wait_for_stop().startswith(b"T05"))
        self.assertEqual(c.ask(b"p20"), b"0c000080")

    @unittest.skipIf(FAST, "the program may be over before the interrupt comes")
    def test_an_interrupt_right_behind_the_command_to_go_on_counts(self):
        c = self.client()
        c.raw(c.frame(b"vCont;c") + b"\x03")
        self.assertTrue(c.wait_for_stop().startswith(b"T02"))
        c.send(b"vCont;c")
        self.assertEqual(c.wait_for_stop(), b"W07")

    def test_a_connection_lost_while_the_program_runs_does_not_stop_it(self):
        c = self.client()
        c.send(b"vCont;c")
        c.close()
        self.assertEqual(self.spica.wait(), 7)


class Ports(unittest.TestCase):
    def test_a_port_in_use_is_a_user_error(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = subprocess.run([BINARY, "run", "virgo", elf("debugger_steps"), "--gdb", str(port)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"cannot open port {port} on 127.0.0.1", done.stderr)

    def test_a_wrong_port_is_a_user_error(self):
        for port in ("65536", "-1", "gdb"):
            done = subprocess.run([BINARY, "debug", "virgo", elf("debugger_steps"), "--gdb", port], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, port)

    def test_only_the_loopback_address_listens(self):
        with Spica("debug", "virgo", elf("debugger_steps")) as spica:
            sockets = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
            listening = [fields[1] for fields in sockets if fields[3] == "0A"]
            self.assertIn(f"0100007F:{spica.port:04X}", listening)
            self.assertNotIn(f"00000000:{spica.port:04X}", listening)
            client = Client(spica.port)
            client.send(b"k")
            client.close()
            self.assertEqual(spica.wait(), 1)


if __name__ == "__main__":
    unittest.main()
