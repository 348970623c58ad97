// SPDX-License-Identifier: Apache-2.0
// Machines that exist, for plant_machine(): cores and clock rates as their makers publish them,
// capacities as the kernel makes them of its device trees, interrupts where they lie unless
// somebody moves them.
#pragma once

namespace support {

// BCM2835, one ARM1176 at 700 MHz; Ethernet is an SMSC LAN9512 behind USB.
inline constexpr const char* kPi1 = R"(
  model Raspberry Pi Model B Rev 2
  cpu 0 part=41:b76 khz=700000
  nic eth0 platform/soc/20980000.usb/usb1/1-1/1-1.1/1-1.1:1.0
  irq 32 ARMCTRL_17_Edge_dwc_otg,dwc_otg_pcd,dwc_otg_hcd:usb1 @0:9000000)";

// BCM2837, four Cortex-A53 at 1.2 GHz; likewise.
inline constexpr const char* kPi3 = R"(
  model Raspberry Pi 3 Model B Rev 1.2
  cpu 0-3 part=41:d03 capacity=1024 khz=1200000 cache=4
  nic eth0 platform/soc/3f980000.usb/usb1/1-1/1-1.1/1-1.1:1.0
  nic wlan0 platform/soc/3f300000.mmcnr/mmc_host/mmc1/mmc1:0001/mmc1:0001:1 down
  irq 56 ARMCTRL-level_41_Edge_dwc_otg,dwc_otg_pcd,dwc_otg_hcd:usb1 @0:7000000)";

// BCM2711, four Cortex-A72 at 1.5 GHz, no AES instructions; GENET has two interrupts.
inline constexpr const char* kPi4 = R"(
  model Raspberry Pi 4 Model B Rev 1.1
  cpu 0-3 part=41:d08 capacity=1024 khz=1500000 cache=4
  nic eth0 platform/scb/fd580000.ethernet
  irq 37 GICv2_189_Level_eth0 @0:2500000 on=0 may=0-3
  irq 38 GICv2_190_Level_eth0 @0:910000 on=0 may=0-3)";

// BCM2712, four Cortex-A76 at 2.4 GHz; Ethernet is in the RP1 behind PCIe.
inline constexpr const char* kPi5 = R"(
  model Raspberry Pi 5 Model B Rev 1.0
  cpu 0-3 part=41:d0b capacity=1024 khz=2400000 cache=4
  nic eth0 platform/axi/1000120000.pcie/1f00100000.ethernet
  irq 106 rp1_irq_chip_6_Level_eth0 @0:1200000 on=0 may=0-3)";

// Allwinner A20, two Cortex-A7 at 960 MHz; a kernel that says the kind of core once.
inline constexpr const char* kBananaPi = R"(
  model LeMaker Banana Pi
  cpu 0-1 part=41:c07 khz=960000 info
  nic eth0 platform/soc/1c50000.ethernet
  irq 117 GICv2_117_Level_eth0 @0:3300000 may=0-1)";

// Exynos 5422: 0-3 Cortex-A7 at 1.4 GHz, 4-7 Cortex-A15 at 2 GHz; Ethernet is an RTL8153 at a USB
// controller. The kernel is too old for cpu_capacity.
inline constexpr const char* kXu4 = R"(
  model Hardkernel Odroid XU4
  cpu 0-3 part=41:c07 khz=1400000
  cpu 4-7 part=41:c0f khz=2000000
  nic eth0 platform/soc/soc:usb3-1/12400000.usb/xhci-hcd.3.auto/usb6/6-1/6-1:2.0
  irq 162 GICv2_105_Level_xhci-hcd:usb5 @0:120
  irq 163 GICv2_106_Level_xhci-hcd:usb6 @0:8000000)";

// Amlogic S905, four Cortex-A53 at 1.5 GHz.
inline constexpr const char* kC2 = R"(
  model Hardkernel ODROID-C2
  cpu 0-3 part=41:d03 capacity=1024 khz=1536000
  nic eth0 platform/soc/c9410000.ethernet
  irq 18 GICv2_40_Level_eth0 @0:4000000 on=0 may=0-3)";

// Amlogic S922X: 0-1 Cortex-A53 at 1.896 GHz, 2-5 Cortex-A73 at 1.8 GHz.
inline constexpr const char* kN2 = R"(
  model Hardkernel ODROID-N2
  cpu 0-1 part=41:d03 capacity=592 khz=1896000
  cpu 2-5 part=41:d09 capacity=1024 khz=1800000
  nic eth0 platform/soc/ff3f0000.ethernet
  irq 20 GICv2_40_Level_eth0 @0:6000000 on=0 may=0-5)";

// The same with the maker's kernel 4.9, which has no cpu_capacity: the little cores' clock is the
// higher one.
inline constexpr const char* kN2Vendor = R"(
  model Hardkernel ODROID-N2
  cpu 0-1 part=41:d03 khz=1896000
  cpu 2-5 part=41:d09 khz=1800000
  nic eth0 platform/ff3f0000.ethernet
  irq 20 GIC-0_40_Edge_eth0 @0:6000000 may=0-5)";

// RK3399: 0-3 Cortex-A53 at 1.416 GHz, 4-5 Cortex-A72 at 1.8 GHz.
inline constexpr const char* kRk3399 = R"(
  model Pine64 RockPro64 v2.1
  cpu 0-3 part=41:d03 capacity=381 khz=1416000
  cpu 4-5 part=41:d08 capacity=1024 khz=1800000
  nic eth0 platform/fe300000.ethernet
  irq 25 GICv3_44_Level_eth0 @0:5100000 on=0 may=0-5)";

// RK3588: 0-3 Cortex-A55 at 1.8 GHz, two clusters of two Cortex-A76 at 2.4 GHz, of which the second
// came out a little slower; an RTL8125 on PCIe.
inline constexpr const char* kRk3588 = R"(
  model FriendlyElec NanoPC-T6
  cpu 0-3 part=41:d05 capacity=414 khz=1800000
  cpu 4-5 part=41:d0b capacity=1024 khz=2400000
  cpu 6-7 part=41:d0b capacity=1004 khz=2352000
  nic eth0 platform/fe170000.pcie/pci0003:30/0003:30:00.0/0003:31:00.0
  irq 131 ITS-MSI_570949632_Edge_eth0 @4:3000000 on=4 may=0-7)";

// i.MX8QM: 0-3 Cortex-A53 at 1.2 GHz, 4-5 Cortex-A72 at 1.6 GHz. Its device tree has no capacities,
// for which the kernel puts 1024 everywhere.
inline constexpr const char* kImx8qm = R"(
  model Freescale i.MX8QM MEK
  cpu 0-3 part=41:d03 capacity=1024 khz=1200000
  cpu 4-5 part=41:d08 capacity=1024 khz=1596000
  nic eth0 platform/bus@5b000000/5b040000.ethernet
  irq 61 GICv3_290_Level_5b040000.ethernet @0:2000000 on=0 may=0-5
  irq 62 GICv3_291_Level_5b040000.ethernet @0:100 on=0 may=0-5)";

// Apple M1: 0-3 Icestorm at 2.064 GHz, 4-7 Firestorm at 3.204 GHz; a Broadcom card on PCIe.
inline constexpr const char* kM1 = R"(
  model Apple Mac mini (M1, 2020)
  cpu 0-3 part=61:022 capacity=460 khz=2064000
  cpu 4-7 part=61:023 capacity=1024 khz=3204000
  nic end0 platform/soc/690000000.pcie/pci0000:00/0000:00:02.0/0000:03:00.0
  irq 55 AIC-MSI_1_Edge_end0-0 @0:10
  irq 56 AIC-MSI_2_Edge_end0-rx-1 @0:800000 on=0 may=0-7)";

// Core i9-12900K: eight P-cores with two threads at 5.1 GHz, two of them favoured with 5.2, and
// eight E-cores at 3.9 GHz; an I225 with four queues.
inline constexpr const char* kHybrid = R"(
  cpu 0-7,12-15 part=core khz=5100000 smt=pairs
  cpu 8-11 part=core khz=5200000 smt=pairs
  cpu 16-23 part=atom khz=3900000
  nic enp6s0 pci0000:00/0000:00:1c.0/0000:06:00.0
  irq 140 IR-PCI-MSIX-0000:06:00.0_0-edge_enp6s0 @5:2 on=5 may=0-23
  irq 141 IR-PCI-MSIX-0000:06:00.0_1-edge_enp6s0-TxRx-0 @2:400000 on=2 may=0-23
  irq 142 IR-PCI-MSIX-0000:06:00.0_2-edge_enp6s0-TxRx-1 @17:300000 on=17 may=0-23
  irq 143 IR-PCI-MSIX-0000:06:00.0_3-edge_enp6s0-TxRx-2 @18:300000 on=18 may=0-23
  irq 144 IR-PCI-MSIX-0000:06:00.0_4-edge_enp6s0-TxRx-3 @19:300000 on=19 may=0-23)";

// Two virtual CPUs and a virtio card with one queue, whose interrupts are on the first.
inline constexpr const char* kVm = R"(
  cpu 0-1
  nic eth0 pci0000:00/0000:00:03.0/virtio0
  irq 24 PCI-MSI_49152-edge_virtio0-config @0:0 on=0
  irq 25 PCI-MSI_49153-edge_virtio0-input.0 @0:700000 on=0
  irq 26 PCI-MSI_49154-edge_virtio0-output.0 @0:300 on=0)";

// Two EPYC 7543 without SMT: 32 cores each, four to an L3; a ConnectX at the second with a queue
// for each of 16 CPUs.
inline constexpr const char* kServer = R"(
  cpu 0-31 khz=3737890 cache=4 node=0
  cpu 32-63 khz=3737890 cache=4 node=1
  nic enp129s0 pci0000:80/0000:80:03.1/0000:81:00.0 node=1
  irq 300 IR-PCI-MSI_67633152-edge_mlx5_async@pci:0000:81:00.0 @0:12 on=0
  irq 301 IR-PCI-MSI_67633153-edge_mlx5_comp0@pci:0000:81:00.0 @32:90000 on=32
  irq 302 IR-PCI-MSI_67633153-edge_mlx5_comp1@pci:0000:81:00.0 @33:90000 on=33
  irq 303 IR-PCI-MSI_67633153-edge_mlx5_comp2@pci:0000:81:00.0 @34:90000 on=34
  irq 304 IR-PCI-MSI_67633153-edge_mlx5_comp3@pci:0000:81:00.0 @35:90000 on=35
  irq 305 IR-PCI-MSI_67633153-edge_mlx5_comp4@pci:0000:81:00.0 @36:90000 on=36
  irq 306 IR-PCI-MSI_67633153-edge_mlx5_comp5@pci:0000:81:00.0 @37:90000 on=37
  irq 307 IR-PCI-MSI_67633153-edge_mlx5_comp6@pci:0000:81:00.0 @38:90000 on=38
  irq 308 IR-PCI-MSI_67633153-edge_mlx5_comp7@pci:0000:81:00.0 @39:90000 on=39
  irq 309 IR-PCI-MSI_67633153-edge_mlx5_comp8@pci:0000:81:00.0 @40:90000 on=40
  irq 310 IR-PCI-MSI_67633153-edge_mlx5_comp9@pci:0000:81:00.0 @41:90000 on=41
  irq 311 IR-PCI-MSI_67633153-edge_mlx5_comp10@pci:0000:81:00.0 @42:90000 on=42
  irq 312 IR-PCI-MSI_67633153-edge_mlx5_comp11@pci:0000:81:00.0 @43:90000 on=43
  irq 313 IR-PCI-MSI_67633153-edge_mlx5_comp12@pci:0000:81:00.0 @44:90000 on=44
  irq 314 IR-PCI-MSI_67633153-edge_mlx5_comp13@pci:0000:81:00.0 @45:90000 on=45
  irq 315 IR-PCI-MSI_67633153-edge_mlx5_comp14@pci:0000:81:00.0 @46:90000 on=46
  irq 316 IR-PCI-MSI_67633153-edge_mlx5_comp15@pci:0000:81:00.0 @47:90000 on=47)";

// A container on eight CPUs that may use two of them; its card is one end of a veth.
inline constexpr const char* kContainer = R"(
  cpu 0-7 khz=3600000
  file /proc/self/cgroup 0::/
  file /sys/fs/cgroup/cpuset.cpus.effective 3,7
  file /sys/class/net/eth0/operstate up
  file /proc/1/status Cpus_allowed_list: 3,7)";

}  // namespace support
