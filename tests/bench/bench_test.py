#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmark that can be wrong without anybody seeing it: arithmetic and words."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import bench
import contenders
import meter


def everybody_is_measured_with_every_cipher():
    titles = [one.title for one in contenders.contenders()]
    assert len(titles) == len(set(titles)), titles
    for cipher in ("none", "cbc", "gcm"):
        for name in ("stock - stock", "native - native", "native - stock", "stock - native"):
            assert f"{cipher}:{name}" in titles, name
    assert "direct" in titles and "wireguard-go" in titles


def the_two_ends_of_a_config_mirror_each_other():
    for one in contenders.contenders():
        if not one.ends:
            continue
        near = contenders.config(one, one.ends[0], "198.18.0.2", False)
        far = contenders.config(one, one.ends[1], "198.18.0.1", True)
        assert "ifconfig 10.8.0.1 10.8.0.2" in near and "ifconfig 10.8.0.2 10.8.0.1" in far
        assert ("tls-client" in near) == ("tls-server" in far) == (one.cipher == "gcm")
        assert ("tun-mtu 9000" in near) == ("tuned" in one.name)


def the_highest_rate_is_found():
    for limit in (30_000, 63_000, 429_000):
        asked = []

        def loss_at(rate):
            asked.append(rate)
            return rate, 0.0 if rate <= limit else 0.5

        found = meter.highest_rate(loss_at)
        assert limit * 0.94 <= found <= limit, (limit, found)
        assert len(asked) < 14, asked
    # Not even the slowest rate: between it and nothing.
    assert meter.highest_rate(lambda rate: (rate, 0.0 if rate <= 5_000 else 1.0)) <= 5_000
    assert meter.highest_rate(lambda rate: (rate, 1.0)) == 0
    # The sender is the limit.
    assert meter.highest_rate(lambda rate: (min(rate, 500_000), 0.0)) == 500_000


def busy_time_is_everything_but_idle():
    import os
    stat = "cpu  100 20 30 4000 500 6 7 9 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n"
    assert meter.busy_seconds(stat) == (100 + 20 + 30 + 6 + 7) / os.sysconf("SC_CLK_TCK")


def tables_and_ratios_say_what_was_measured():
    table = [one for one in contenders.contenders()
             if one.title in ("gcm:stock - stock", "gcm:native - native", "direct")]
    results = {"direct": {}, "gcm:stock - stock": {"up": [5e8, 4e8, 6e8], "cpu": [8.0, 9.0, 8.5]},
               "gcm:native - native": {"up": [5e9, 4e9, 9e9], "cpu": [0.5, 0.6, 0.7]}}
    text = "\n".join(bench.text_table(table, results))
    assert "500   [400-600]" in text and "5000 [4000-9000]" in text, text
    assert "8.50 [8.00-9.00]" in text, text
    assert "AES-256-GCM (TLS)" in text
    lines = bench.ratio_lines(table, results)
    assert lines == ["gcm:native - native / gcm:stock - stock: up 10.00, cpu 0.07 (less is better)"], \
        lines


def main():
    for check in (everybody_is_measured_with_every_cipher,
                  the_two_ends_of_a_config_mirror_each_other, the_highest_rate_is_found,
                  busy_time_is_everything_but_idle, tables_and_ratios_say_what_was_measured):
        check()
        print(f"ok {check.__name__}")


if __name__ == "__main__":
    main()
