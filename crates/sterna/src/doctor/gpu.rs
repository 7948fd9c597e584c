//! Graphics processors and their drivers, as Linux shows them. The CPU computes unless `--device gpu` says
//! otherwise; what is found is told so that nobody takes a quiet GPU for a busy one.

use serde::Serialize;

use super::system::System;

/// One GPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gpu {
    /// "NVIDIA H200", or the vendor with the device's number.
    pub name: String,
    /// The kernel's driver, where known.
    pub driver: Option<String>,
}

/// What there is to use GPUs with.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gpus {
    /// Found.
    pub devices: Vec<Gpu>,
    /// Version of NVIDIA's kernel driver.
    pub nvidia_driver: Option<String>,
    /// Whether `libcuda.so.1` is in a usual place.
    pub cuda_library: bool,
    /// Whether `libvulkan.so.1` is in a usual place.
    pub vulkan_loader: bool,
    /// Vulkan drivers, by the names of their manifests.
    pub vulkan_drivers: Vec<String>,
}

const LIBRARIES: [&str; 7] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
];

const MANIFESTS: [&str; 4] = [
    "/usr/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/run/opengl-driver/share/vulkan/icd.d",
];

/// Name of a PCI vendor, or `None` for one that makes no GPU to compute on (a server's display chip, a virtual screen).
fn vendor(id: &str) -> Option<&'static str> {
    Some(match id {
        "0x10de" => "NVIDIA",
        "0x1002" => "AMD",
        "0x8086" => "Intel",
        "0x106b" => "Apple",
        "0x13b5" => "ARM",
        "0x5143" => "Qualcomm",
        _ => return None,
    })
}

/// Looks around; `None` where there is no `/sys` to look at.
pub fn read(system: &dyn System) -> Option<Gpus> {
    system.names("/sys/devices")?;
    let mut gpus = Gpus::default();
    let nvidia = system.names("/proc/driver/nvidia/gpus").unwrap_or_default();
    gpus.nvidia_driver = system.text("/proc/driver/nvidia/version").and_then(|t| {
        // NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  ...
        let mut words = t.lines().next()?.split_whitespace();
        words.find(|w| w.contains('.') && w.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
    });
    for id in &nvidia {
        let text = system.text(&format!("/proc/driver/nvidia/gpus/{id}/information")).unwrap_or_default();
        let model = text.lines().find_map(|l| l.strip_prefix("Model:")).map_or("NVIDIA GPU", str::trim);
        gpus.devices.push(Gpu { name: model.to_owned(), driver: Some("nvidia".to_owned()) });
    }
    for card in system.names("/sys/class/drm").unwrap_or_default() {
        // card0, not card0-HDMI-A-1 or renderD128.
        if !card.strip_prefix("card").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) {
            continue;
        }
        let device = format!("/sys/class/drm/{card}/device");
        let Some(maker) = system.word(&format!("{device}/vendor")).as_deref().and_then(vendor) else {
            continue;
        };
        // NVIDIA's own driver has told its names above.
        if maker == "NVIDIA" && !nvidia.is_empty() {
            continue;
        }
        let number = system.word(&format!("{device}/device")).unwrap_or_default();
        let events = system.text(&format!("{device}/uevent")).unwrap_or_default();
        let driver = events.lines().find_map(|l| l.strip_prefix("DRIVER=")).map(str::to_owned);
        gpus.devices.push(Gpu { name: format!("{maker} {number}").trim_end().to_owned(), driver });
    }
    if gpus.devices.is_empty() && system.exists("/dev/dxg") {
        gpus.devices
            .push(Gpu { name: "a GPU of the Windows host".to_owned(), driver: Some("dxgkrnl".to_owned()) });
    }
    let library = |name: &str| LIBRARIES.iter().any(|f| system.exists(&format!("{f}/{name}")));
    gpus.cuda_library = library("libcuda.so.1");
    gpus.vulkan_loader = library("libvulkan.so.1");
    for folder in MANIFESTS {
        let names = system.names(folder).unwrap_or_default().into_iter();
        gpus.vulkan_drivers.extend(names.filter_map(|n| n.strip_suffix(".json").map(str::to_owned)));
    }
    Some(gpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::system::Texts;

    #[test]
    fn cards_and_drivers_are_named() {
        let s = Texts::new(&[
            ("/sys/devices/x", ""),
            (
                "/proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu\nGCC",
            ),
            ("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n"),
            ("/sys/class/drm/card0/device/vendor", "0x10de\n"),
            ("/sys/class/drm/card1/device/vendor", "0x1002\n"),
            ("/sys/class/drm/card1/device/device", "0x744c\n"),
            ("/sys/class/drm/card1/device/uevent", "DRIVER=amdgpu\nPCI_CLASS=30000\n"),
            ("/sys/class/drm/card1-DP-1/device/vendor", "0x1002\n"),
            ("/sys/class/drm/card2/device/vendor", "0x1a03\n"),
            ("/usr/lib64/libvulkan.so.1", ""),
            ("/usr/share/vulkan/icd.d/radeon_icd.json", ""),
        ]);
        let gpus = read(&s).unwrap();
        let names: Vec<&str> = gpus.devices.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["NVIDIA H200", "AMD 0x744c"]);
        assert_eq!(gpus.devices[1].driver.as_deref(), Some("amdgpu"));
        assert_eq!(gpus.nvidia_driver.as_deref(), Some("570.86.15"));
        assert!(gpus.vulkan_loader && !gpus.cuda_library);
        assert_eq!(gpus.vulkan_drivers, ["radeon_icd"]);
    }

    #[test]
    fn none_and_unknown_are_two_things() {
        assert_eq!(read(&Texts::default()), None);
        assert_eq!(read(&Texts::new(&[("/sys/devices/x", "")])), Some(Gpus::default()));
    }
}
